#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>

// HTTP by the system's libcurl, which is loaded when it is first needed: linked, it and the thirty
// libraries that it brings would be loaded at every start.

/// What became of a transfer.
typedef enum {
  /// An answer came, all of it.
  TRANSFER_ENDED,
  /// It was stopped by `stop`, or by a callback that returned false.
  TRANSFER_STOPPED,
  TRANSFER_URL_UNUSABLE,
  TRANSFER_PROXY_UNKNOWN,
  TRANSFER_NAME_UNKNOWN,
  TRANSFER_NOT_CONNECTED,
  /// The proxy did not let it through; `proxy_status` says why, if it is one of HTTP.
  TRANSFER_PROXY_REFUSED,
  /// Connecting took too long; `is_connected` says how far it came.
  TRANSFER_TOO_SLOW,
  TRANSFER_TLS_FAILED,
  TRANSFER_CERTIFICATE_UNTRUSTED,
  TRANSFER_CERTIFICATE_OF_ANOTHER,
  TRANSFER_NOT_HTTP,
  /// The connection was closed or broken, before the answer or within it.
  TRANSFER_CUT,
} TransferEnding;

typedef struct {
  TransferEnding ending;
  /// `errno` of the last call of the system that failed for the connection; 0 for none.
  int error_number;
  /// What the proxy answered to CONNECT; 0 where it was not asked.
  long proxy_status;
  /// Whether there was a connection, which TLS or a proxy comes after.
  bool is_connected;
} TransferOutcome;

typedef struct {
  const char *url;
  /// "Name: value", each ended by a newline.
  const char *fields;
  /// Sent by POST, once, unless it is empty; NULL for GET. A GET, or an empty body, libcurl sends
  /// again when a connection that was kept ends without an answer.
  const void *body;
  size_t body_length;
  /// Milliseconds.
  long connect_timeout;
  /// A file of certificates in PEM form that are trusted instead of the system's; or NULL.
  const char *authorities;
  /// Whether no proxy of the environment is used.
  bool is_direct;
} TransferRequest;

typedef struct {
  /// One line of the answer's head, with its line ending. False stops the transfer.
  bool (*line)(void *context, const char *bytes, size_t count);
  /// A part of the answer's body. False stops the transfer.
  bool (*body)(void *context, const char *bytes, size_t count);
  /// Asked after every `http_session_wake`: whether the transfer is to be stopped.
  bool (*stop)(void *context);
  void *context;
} TransferCallbacks;

/// Keeps connections from one transfer to the next.
typedef struct HTTPSession HTTPSession;

/// NULL where libcurl is missing, or memory. Any thread.
HTTPSession *http_session_make(void);
/// Carries a request out, and returns when it has ended. No redirects, no cookies, HTTP/1.1.
/// Proxies are those of the environment. One transfer of a session at a time.
TransferOutcome http_session_run(
  HTTPSession *session, const TransferRequest *request, const TransferCallbacks *callbacks);
/// Has the transfer under way ask `stop`. Any thread, any time before `http_session_free`.
void http_session_wake(HTTPSession *session);
/// Closes the connections. No transfer may be under way.
void http_session_free(HTTPSession *session);

#endif
