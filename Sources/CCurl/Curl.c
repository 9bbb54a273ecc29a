#define _GNU_SOURCE

#include "CCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The part of libcurl's interface that is used here, declared according to its documentation, so
// that its headers need not be installed. The numbers are part of its ABI, which has not changed
// since 2006 (libcurl.so.4).

typedef struct CURL CURL;
typedef struct CURLM CURLM;
struct curl_slist;

typedef struct {
  int msg;
  CURL *easy;
  union {
    void *whatever;
    int result;
  } data;
} CURLMsg;

enum {
  CURL_GLOBAL_DEFAULT = 3,
  CURLMSG_DONE = 1,
  CURL_HTTP_VERSION_1_1 = 2,
  CURLPROTO_HTTP_AND_HTTPS = 3,
};

enum {
  CURLOPT_POST = 47,
  CURLOPT_HTTP_VERSION = 84,
  CURLOPT_NOSIGNAL = 99,
  CURLOPT_CONNECTTIMEOUT_MS = 156,
  CURLOPT_PROTOCOLS = 181,
  CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
  CURLOPT_MAXAGE_CONN = 288,
  CURLOPT_QUICK_EXIT = 322,
  CURLOPT_WRITEDATA = 10001,
  CURLOPT_URL = 10002,
  CURLOPT_PROXY = 10004,
  CURLOPT_READDATA = 10009,
  CURLOPT_HTTPHEADER = 10023,
  CURLOPT_HEADERDATA = 10029,
  CURLOPT_CAINFO = 10065,
  CURLOPT_CAPATH = 10097,
  CURLOPT_ACCEPT_ENCODING = 10102,
  CURLOPT_PROXY_CAINFO = 10246,
  CURLOPT_PROXY_CAPATH = 10247,
  CURLOPT_PROTOCOLS_STR = 10318,
  CURLOPT_WRITEFUNCTION = 20011,
  CURLOPT_READFUNCTION = 20012,
  CURLOPT_HEADERFUNCTION = 20079,
  CURLOPT_SOCKOPTFUNCTION = 20148,
  CURLOPT_POSTFIELDSIZE_LARGE = 30120,
};

enum {
  CURLINFO_SSL_VERIFYRESULT = 0x200000 + 13,
  CURLINFO_HTTP_CONNECTCODE = 0x200000 + 22,
  CURLINFO_OS_ERRNO = 0x200000 + 25,
  CURLINFO_PRIMARY_PORT = 0x200000 + 40,
  CURLINFO_PROXY_SSL_VERIFYRESULT = 0x200000 + 47,
};

enum {
  CURLE_OK = 0,
  CURLE_UNSUPPORTED_PROTOCOL = 1,
  CURLE_URL_MALFORMAT = 3,
  CURLE_COULDNT_RESOLVE_PROXY = 5,
  CURLE_COULDNT_RESOLVE_HOST = 6,
  CURLE_COULDNT_CONNECT = 7,
  CURLE_WEIRD_SERVER_REPLY = 8,
  CURLE_WRITE_ERROR = 23,
  CURLE_OPERATION_TIMEDOUT = 28,
  CURLE_SSL_CONNECT_ERROR = 35,
  CURLE_PEER_FAILED_VERIFICATION = 60,
  CURLE_BAD_CONTENT_ENCODING = 61,
  CURLE_SSL_CACERT_BADFILE = 77,
  CURLE_PROXY = 97,
};

static struct {
  int (*global_init)(long flags);
  CURL *(*easy_init)(void);
  int (*easy_setopt)(CURL *, int option, ...);
  int (*easy_getinfo)(CURL *, int information, ...);
  void (*easy_cleanup)(CURL *);
  struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
  void (*slist_free_all)(struct curl_slist *);
  CURLM *(*multi_init)(void);
  int (*multi_add_handle)(CURLM *, CURL *);
  int (*multi_remove_handle)(CURLM *, CURL *);
  int (*multi_perform)(CURLM *, int *running);
  int (*multi_poll)(CURLM *, void *, unsigned, int milliseconds, int *);
  int (*multi_wakeup)(CURLM *);
  CURLMsg *(*multi_info_read)(CURLM *, int *left);
  int (*multi_cleanup)(CURLM *);
} curl;

/// Loads the library with a name.
///
/// @return false if it is not installed or is older than 7.68
static bool load_library(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define FIND(name) \
  if (!(*(void **)&curl.name = dlsym(library, "curl_" #name))) return false
  FIND(global_init);
  FIND(easy_init);
  FIND(easy_setopt);
  FIND(easy_getinfo);
  FIND(easy_cleanup);
  FIND(slist_append);
  FIND(slist_free_all);
  FIND(multi_init);
  FIND(multi_add_handle);
  FIND(multi_remove_handle);
  FIND(multi_perform);
  FIND(multi_poll);
  FIND(multi_wakeup);
  FIND(multi_info_read);
  FIND(multi_cleanup);
#undef FIND
  return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/// Loads libcurl once. If that fails, the next call tries again, because libcurl may have been
/// installed in the meantime.
static bool load(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool is_loaded;
  pthread_mutex_lock(&mutex);
  if (!is_loaded) is_loaded = load_library("libcurl.so.4") || load_library("libcurl-gnutls.so.4");
  bool result = is_loaded;
  pthread_mutex_unlock(&mutex);
  return result;
}

struct HTTPSession {
  CURLM *multi;
};

HTTPSession *http_session_make(void) {
  if (!load()) return NULL;
  HTTPSession *session = malloc(sizeof *session);
  if (!session) return NULL;
  session->multi = curl.multi_init();
  if (session->multi) return session;
  free(session);
  return NULL;
}

void http_session_free(HTTPSession *session) {
  curl.multi_cleanup(session->multi);
  free(session);
}

void http_session_wake(HTTPSession *session) { curl.multi_wakeup(session->multi); }

static size_t on_line(char *bytes, size_t size, size_t count, void *data) {
  const TransferCallbacks *callbacks = data;
  return callbacks->line(callbacks->context, bytes, size * count) ? size * count : 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *data) {
  const TransferCallbacks *callbacks = data;
  return callbacks->body(callbacks->context, bytes, size * count) ? size * count : 0;
}

/// The part of a request's body that libcurl has not read yet.
typedef struct {
  const char *bytes;
  size_t left;
} Body;

static size_t read_body(char *bytes, size_t size, size_t count, void *data) {
  Body *body = data;
  size_t taken = size * count < body->left ? size * count : body->left;
  memcpy(bytes, body->bytes, taken);
  body->bytes += taken;
  body->left -= taken;
  return taken;
}

/// Marks a socket as close-on-exec, so that child processes do not inherit it.
static int on_socket(void *data, int descriptor, int purpose) {
  (void)data;
  (void)purpose;
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? 0 : 1;
}

static TransferStatus status(CURL *easy, int code, const TransferOutcome *outcome) {
  long verified = 0;
  switch (code) {
  case CURLE_OK:
    return TRANSFER_COMPLETED;
  case CURLE_WRITE_ERROR:
    return TRANSFER_STOPPED;
  case CURLE_URL_MALFORMAT:
    return TRANSFER_INVALID_URL;
  case CURLE_COULDNT_RESOLVE_PROXY:
    return TRANSFER_PROXY_NOT_FOUND;
  case CURLE_COULDNT_RESOLVE_HOST:
    return TRANSFER_HOST_NOT_FOUND;
  case CURLE_COULDNT_CONNECT:
    return outcome->proxy_status ? TRANSFER_PROXY_REFUSED : TRANSFER_CONNECTION_FAILED;
  case CURLE_PROXY:
    return TRANSFER_PROXY_REFUSED;
  case CURLE_OPERATION_TIMEDOUT:
    return TRANSFER_TIMED_OUT;
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_SSL_CACERT_BADFILE:
    return TRANSFER_TLS_FAILED;
  case CURLE_PEER_FAILED_VERIFICATION:
    // The host name is compared after the certificate has been verified. If only the name does
    // not match, the result is 0, or with OpenSSL its initial value 1 ("unspecified").
    curl.easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verified);
    // The certificate of a proxy has a separate result.
    if (verified <= 1) curl.easy_getinfo(easy, CURLINFO_PROXY_SSL_VERIFYRESULT, &verified);
    return verified > 1 ? TRANSFER_CERTIFICATE_UNTRUSTED : TRANSFER_CERTIFICATE_HOST_MISMATCH;
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_WEIRD_SERVER_REPLY:
    return TRANSFER_NOT_HTTP;
  case CURLE_BAD_CONTENT_ENCODING:
    return TRANSFER_NOT_DECOMPRESSED;
  default:
    // Some versions of libcurl report a rejection by the proxy as a failure to receive.
    return outcome->proxy_status >= 300 ? TRANSFER_PROXY_REFUSED : TRANSFER_CONNECTION_CLOSED;
  }
}

/// Creates a list of the lines of a string, each terminated by a newline.
///
/// @return NULL if there is no line or not enough memory
static struct curl_slist *list_of_lines(const char *text) {
  struct curl_slist *list = NULL;
  for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
    char *line = strndup(text, (size_t)(end - text));
    struct curl_slist *longer = line ? curl.slist_append(list, line) : NULL;
    free(line);
    if (!longer) {
      curl.slist_free_all(list);
      return NULL;
    }
    list = longer;
  }
  return list;
}

/// Sets the options of a transfer.
///
/// @return false if an option cannot be set
static bool set_up(
  CURL *easy, const TransferRequest *request, const TransferCallbacks *callbacks,
  const struct curl_slist *fields, Body *body) {
  bool is_set = !curl.easy_setopt(easy, CURLOPT_URL, request->url)
    && !curl.easy_setopt(easy, CURLOPT_HTTPHEADER, fields)
    && !curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_line)
    && !curl.easy_setopt(easy, CURLOPT_HEADERDATA, callbacks)
    && !curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body)
    && !curl.easy_setopt(easy, CURLOPT_WRITEDATA, callbacks)
    && !curl.easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket)
    && !curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L)
    // HTTP/2 has no advantage for one request at a time.
    && !curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1)
    && !curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout)
    && !curl.easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L)
    // CURLOPT_PROTOCOLS_STR replaces CURLOPT_PROTOCOLS since 7.85.
    && (!curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https")
      || !curl.easy_setopt(easy, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTP_AND_HTTPS));
  if (!is_set) return false;
  if (request->body) {
    // libcurl reads the body by a callback and cannot rewind it. With CURLOPT_POSTFIELDS it would
    // send the body again if a reused connection is closed before a response arrives, although the
    // server may have processed the request.
    is_set = !curl.easy_setopt(easy, CURLOPT_POST, 1L)
      && !curl.easy_setopt(easy, CURLOPT_READFUNCTION, read_body)
      && !curl.easy_setopt(easy, CURLOPT_READDATA, body)
      && !curl.easy_setopt(
        easy, CURLOPT_POSTFIELDSIZE_LARGE, (int64_t)request->body_length);
    if (!is_set) return false;
  }
  if (request->certificate_authorities) {
    // CURLOPT_CAPATH is cleared, because its default is the system's directory of authorities.
    is_set = !curl.easy_setopt(easy, CURLOPT_CAINFO, request->certificate_authorities)
      && !curl.easy_setopt(easy, CURLOPT_CAPATH, NULL);
    if (!is_set) return false;
    // Not every build of libcurl supports TLS connections to proxies.
    curl.easy_setopt(easy, CURLOPT_PROXY_CAINFO, request->certificate_authorities);
    curl.easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
  }
  // An empty string disables proxies, including those of the environment.
  if (request->is_direct && curl.easy_setopt(easy, CURLOPT_PROXY, "")) return false;
  // A failure to set the following options is ignored. The first one makes it less likely that a
  // request is lost because the server closes an idle connection at the moment it is reused.
  curl.easy_setopt(easy, CURLOPT_MAXAGE_CONN, 20L);
  // Accepts all compressions that this libcurl can undo. `body` receives decompressed parts.
  curl.easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  // Lets a transfer end without waiting for a running name lookup. Since libcurl 7.87.
  curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  return true;
}

/// Not a code of libcurl: its multi interface failed.
enum { NOT_PERFORMED = -1 };

/// Runs a transfer until it ends or is stopped.
///
/// @return a result code of libcurl, or NOT_PERFORMED
static int perform(HTTPSession *session, const TransferCallbacks *callbacks) {
  for (;;) {
    int running = 0;
    if (callbacks->stop(callbacks->context)) return CURLE_WRITE_ERROR;
    if (curl.multi_perform(session->multi, &running)) return NOT_PERFORMED;
    int left = 0;
    for (CURLMsg *message; (message = curl.multi_info_read(session->multi, &left));) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    if (!running) return NOT_PERFORMED;
    if (curl.multi_poll(session->multi, NULL, 0, 10000, NULL)) return NOT_PERFORMED;
  }
}

static TransferOutcome run(
  HTTPSession *session, const TransferRequest *request, const TransferCallbacks *callbacks) {
  TransferOutcome outcome = {.status = TRANSFER_CONNECTION_CLOSED};
  CURL *easy = curl.easy_init();
  if (!easy) return outcome;
  struct curl_slist *fields = list_of_lines(request->fields);
  Body body = {request->body, request->body_length};
  if (fields && set_up(easy, request, callbacks, fields, &body)
    && !curl.multi_add_handle(session->multi, easy)) {
    int code = perform(session, callbacks);
    long error_number = 0;
    long port = 0;
    curl.easy_getinfo(easy, CURLINFO_OS_ERRNO, &error_number);
    curl.easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &outcome.proxy_status);
    curl.easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
    outcome.error_number = (int)error_number;
    outcome.is_connected = port != 0;
    outcome.status = status(easy, code, &outcome);
    curl.multi_remove_handle(session->multi, easy);
  }
  curl.easy_cleanup(easy);
  curl.slist_free_all(fields);
  return outcome;
}

TransferOutcome http_session_run(
  HTTPSession *session, const TransferRequest *request, const TransferCallbacks *callbacks) {
  // Some TLS libraries raise SIGPIPE when they write to a closed connection, and libcurl ignores
  // the signal only in programs without threads (CURLOPT_NOSIGNAL). This thread blocks the signal
  // during the transfer and discards it afterwards.
  sigset_t pipe, former, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &former);
  TransferOutcome outcome = run(session, request, callbacks);
  if (!was_pending) sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return outcome;
}
