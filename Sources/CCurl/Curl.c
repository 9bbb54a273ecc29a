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

// libcurl's interface as far as it is used, by its documentation: its headers need not be
// installed. The numbers are part of its ABI, which has been the same since 2006 (libcurl.so.4).

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

/// Loads the library of this name; false where it is missing, or older than 7.68.
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

/// Loads libcurl once. What fails is tried again the next time: it may be installed by then.
static bool load(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool is_loaded;
  pthread_mutex_lock(&mutex);
  if (!is_loaded) is_loaded = load_library("libcurl.so.4") || load_library("libcurl-gnutls.so.4");
  pthread_mutex_unlock(&mutex);
  return is_loaded;
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

/// A request's body, and how much of it libcurl has.
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

/// Connections are not for the programs that this one starts.
static int on_socket(void *data, int descriptor, int purpose) {
  (void)data;
  (void)purpose;
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? 0 : 1;
}

static TransferEnding ending(CURL *easy, int code, const TransferOutcome *outcome) {
  long verified = 0;
  switch (code) {
  case CURLE_OK:
    return TRANSFER_ENDED;
  case CURLE_WRITE_ERROR:
    return TRANSFER_STOPPED;
  case CURLE_URL_MALFORMAT:
    return TRANSFER_URL_UNUSABLE;
  case CURLE_COULDNT_RESOLVE_PROXY:
    return TRANSFER_PROXY_UNKNOWN;
  case CURLE_COULDNT_RESOLVE_HOST:
    return TRANSFER_NAME_UNKNOWN;
  case CURLE_COULDNT_CONNECT:
    return outcome->proxy_status ? TRANSFER_PROXY_REFUSED : TRANSFER_NOT_CONNECTED;
  case CURLE_PROXY:
    return TRANSFER_PROXY_REFUSED;
  case CURLE_OPERATION_TIMEDOUT:
    return TRANSFER_TOO_SLOW;
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_SSL_CACERT_BADFILE:
    return TRANSFER_TLS_FAILED;
  case CURLE_PEER_FAILED_VERIFICATION:
    // Names are compared once the certificate itself was found good. Then it is 0, or with
    // OpenSSL still 1 as at the beginning, which is "unspecified" and no other failure.
    curl.easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verified);
    // The certificate of a proxy has a result of its own.
    if (verified <= 1) curl.easy_getinfo(easy, CURLINFO_PROXY_SSL_VERIFYRESULT, &verified);
    return verified > 1 ? TRANSFER_CERTIFICATE_UNTRUSTED : TRANSFER_CERTIFICATE_OF_ANOTHER;
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_WEIRD_SERVER_REPLY:
    return TRANSFER_NOT_HTTP;
  default:
    // Some versions tell the refusal of a proxy as a failure to receive.
    return outcome->proxy_status >= 300 ? TRANSFER_PROXY_REFUSED : TRANSFER_CUT;
  }
}

/// A list of the lines of a text, each ended by a newline; NULL where memory is missing.
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

/// What a request needs; false where memory is missing.
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
    // One request at a time gains nothing from HTTP/2.
    && !curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1)
    && !curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout)
    && !curl.easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L)
    // The number is deprecated since 7.85, which has the names.
    && (!curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https")
      || !curl.easy_setopt(easy, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTP_AND_HTTPS));
  if (!is_set) return false;
  if (request->body) {
    // Read once and not to be rewound: what was given to libcurl as a whole is sent again when a
    // connection that was kept ends without an answer, though it may have been carried out.
    is_set = !curl.easy_setopt(easy, CURLOPT_POST, 1L)
      && !curl.easy_setopt(easy, CURLOPT_READFUNCTION, read_body)
      && !curl.easy_setopt(easy, CURLOPT_READDATA, body)
      && !curl.easy_setopt(
        easy, CURLOPT_POSTFIELDSIZE_LARGE, (int64_t)request->body_length);
    if (!is_set) return false;
  }
  if (request->authorities) {
    // The system's are in a directory, which libcurl looks into as well.
    is_set = !curl.easy_setopt(easy, CURLOPT_CAINFO, request->authorities)
      && !curl.easy_setopt(easy, CURLOPT_CAPATH, NULL);
    if (!is_set) return false;
    // Not every libcurl speaks TLS with proxies.
    curl.easy_setopt(easy, CURLOPT_PROXY_CAINFO, request->authorities);
    curl.easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
  }
  // An empty proxy is none, whatever the environment says.
  if (request->is_direct && curl.easy_setopt(easy, CURLOPT_PROXY, "")) return false;
  // Versions before 7.65 and 7.87 do not know these: a server that ends an idle connection just as
  // it is used again costs an answer, and a name that is looked up would be waited for at the end.
  curl.easy_setopt(easy, CURLOPT_MAXAGE_CONN, 20L);
  curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  return true;
}

/// No code of libcurl: what drives its transfers failed.
enum { NOT_PERFORMED = -1 };

/// Runs a transfer until it ends or is to be stopped.
///
/// @return a code of libcurl, or NOT_PERFORMED
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
  TransferOutcome outcome = {.ending = TRANSFER_CUT};
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
    outcome.ending = ending(easy, code, &outcome);
    curl.multi_remove_handle(session->multi, easy);
  }
  curl.easy_cleanup(easy);
  curl.slist_free_all(fields);
  return outcome;
}

TransferOutcome http_session_run(
  HTTPSession *session, const TransferRequest *request, const TransferCallbacks *callbacks) {
  // Some TLS libraries write to a connection that was closed without asking for no signal, and
  // libcurl ignores it only for programs without threads. This thread holds it back meanwhile.
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
