#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>

// HTTP by the system's libcurl, which is loaded when it is first needed: linked, it and the thirty
// libraries that it brings would be loaded at every start.

/// What became of a transfer.
typedef enum {
  /// An answer came, all of it.
  CURL_ENDED,
  /// It was stopped by `stop`, or by a callback that returned false.
  CURL_STOPPED,
  CURL_URL_UNUSABLE,
  CURL_PROXY_UNKNOWN,
  CURL_NAME_UNKNOWN,
  CURL_NOT_CONNECTED,
  /// The proxy did not let it through; `proxy_status` says why, if it is one of HTTP.
  CURL_PROXY_REFUSED,
  /// Connecting took too long; `is_connected` says how far it came.
  CURL_TOO_SLOW,
  CURL_TLS_FAILED,
  CURL_CERTIFICATE_UNTRUSTED,
  CURL_CERTIFICATE_OF_ANOTHER,
  CURL_NOT_HTTP,
  /// The connection was closed or broken, before the answer or within it.
  CURL_CUT,
} CurlEnding;

typedef struct {
  CurlEnding ending;
  /// Of the attempt to connect that failed; 0 where there is none.
  int error_number;
  /// What the proxy answered to CONNECT; 0 where it was not asked.
  long proxy_status;
  /// Whether there was a connection, which TLS or a proxy comes after.
  bool is_connected;
} CurlOutcome;

typedef struct {
  const char *url;
  /// "Name: value", each ended by a newline.
  const char *fields;
  /// Sent by POST, once; NULL for GET, which libcurl sends again when a connection that was kept
  /// ends without an answer.
  const void *body;
  size_t body_length;
  /// Milliseconds.
  long connect_timeout;
  /// A file of certificates in PEM form that are trusted instead of the system's; or NULL.
  const char *authorities;
  /// Whether no proxy of the environment is used.
  bool is_direct;
} CurlRequest;

typedef struct {
  /// One line of the answer's head, with its line ending. False stops the transfer.
  bool (*line)(void *context, const char *bytes, size_t count);
  /// A part of the answer's body. False stops the transfer.
  bool (*body)(void *context, const char *bytes, size_t count);
  /// Asked after every `curl_session_wake`: whether the transfer is to be stopped.
  bool (*stop)(void *context);
  void *context;
} CurlCallbacks;

/// Keeps connections from one transfer to the next.
typedef struct CurlSession CurlSession;

/// NULL where libcurl is missing, or memory. Any thread.
CurlSession *curl_session_make(void);
/// Carries a request out, and returns when it has ended. No redirects, no cookies, HTTP/1.1.
/// Proxies are those of the environment. One transfer of a session at a time.
CurlOutcome curl_session_run(
  CurlSession *session, const CurlRequest *request, const CurlCallbacks *callbacks);
/// Has the transfer under way ask `stop`. Any thread, any time before `curl_session_free`.
void curl_session_wake(CurlSession *session);
/// Closes the connections. No transfer may be under way.
void curl_session_free(CurlSession *session);

#endif
