#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>

// HTTP requests by the system's libcurl, which is loaded when it is first needed. If it were
// linked, it and its thirty or so dependencies would be loaded at every start.

/// The result of a transfer.
typedef enum {
  /// The whole response was received.
  TRANSFER_COMPLETED,
  /// The transfer was stopped by `stop`, or by a callback that returned false. libcurl has the same
  /// result if bytes follow the end of a compressed body.
  TRANSFER_STOPPED,
  /// libcurl rejects the URL.
  TRANSFER_INVALID_URL,
  /// The host name of the proxy cannot be resolved.
  TRANSFER_PROXY_NOT_FOUND,
  /// The host name cannot be resolved.
  TRANSFER_HOST_NOT_FOUND,
  /// No connection could be established; `error_number` is the reason.
  TRANSFER_CONNECTION_FAILED,
  /// The proxy rejected the connection; if it is an HTTP proxy, `proxy_status` is the reason.
  TRANSFER_PROXY_REFUSED,
  /// The connection was not established within `connect_timeout`. If `is_connected`, the TLS
  /// handshake or the proxy took too long.
  TRANSFER_TIMED_OUT,
  /// The TLS handshake failed.
  TRANSFER_TLS_FAILED,
  /// The certificate of the server or of the proxy is not trusted.
  TRANSFER_CERTIFICATE_UNTRUSTED,
  /// The certificate is for another host name.
  TRANSFER_CERTIFICATE_HOST_MISMATCH,
  /// The response is not HTTP.
  TRANSFER_NOT_HTTP,
  /// The body of the response cannot be decompressed.
  TRANSFER_NOT_DECOMPRESSED,
  /// The connection was closed or failed before the response was complete, or there was an error
  /// without a status here.
  TRANSFER_CONNECTION_CLOSED,
} TransferStatus;

typedef struct {
  TransferStatus status;
  /// The `errno` of the last failed system call for the connection; 0 if none failed.
  int error_number;
  /// The HTTP status of the proxy's response to CONNECT; 0 if there was none.
  long proxy_status;
  /// Whether the TCP connection was established, before the TLS handshake or CONNECT.
  bool is_connected;
} TransferOutcome;

typedef struct {
  const char *url;
  /// The header fields as "Name: value", each terminated by a newline.
  const char *fields;
  /// The body of a POST request; NULL for a GET request. libcurl sends a GET request or an empty
  /// body again if a reused connection is closed before a response arrives. It sends other bodies
  /// only once.
  const void *body;
  size_t body_length;
  /// The maximum time for establishing the connection in milliseconds.
  long connect_timeout;
  /// The path of a PEM file with the certificate authorities to trust instead of those of the
  /// system; NULL for those of the system.
  const char *certificate_authorities;
  /// Whether the proxies of the environment are bypassed.
  bool is_direct;
} TransferRequest;

/// The callbacks of a transfer. They run on the thread that called `http_session_run`.
typedef struct {
  /// Receives a line of the response's head, with its line ending. Returning false stops the
  /// transfer.
  bool (*line)(void *context, const char *bytes, size_t count);
  /// Receives a part of the response's body, decompressed. Returning false stops the transfer.
  bool (*body)(void *context, const char *bytes, size_t count);
  /// Returns whether to stop the transfer. It is called after every `http_session_wake`.
  bool (*stop)(void *context);
  void *context;
} TransferCallbacks;

/// A session, which reuses connections for several transfers.
typedef struct HTTPSession HTTPSession;

/// Creates a session. It can be called on any thread.
///
/// @return NULL if libcurl is not installed or too old, or if there is not enough memory
HTTPSession *http_session_make(void);
/// Sends a request by HTTP/1.1, and returns when the transfer has ended.
///
/// It does not follow redirects and does not use cookies. The proxies are those of the environment.
/// A session can run one transfer at a time.
TransferOutcome http_session_run(
  HTTPSession *session, const TransferRequest *request, const TransferCallbacks *callbacks);
/// Makes the running transfer call `stop`. It can be called on any thread, at any time before
/// `http_session_free`.
void http_session_wake(HTTPSession *session);
/// Closes the connections and frees the session. No transfer may be running.
void http_session_free(HTTPSession *session);

#endif
