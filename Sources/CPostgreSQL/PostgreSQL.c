#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static PostgreSQLLibrary functions;

static bool load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define FIND(name) \
  if (!(*(void **)&functions.name = dlsym(library, "PQ" #name))) return false
  FIND(conninfoParse);
  FIND(conninfoFree);
  FIND(connectdbParams);
  FIND(pingParams);
  FIND(setnonblocking);
  FIND(socket);
  FIND(host);
  FIND(hostaddr);
  FIND(port);
  FIND(status);
  FIND(transactionStatus);
  FIND(errorMessage);
  FIND(finish);
  FIND(getCancel);
  FIND(cancel);
  FIND(freeCancel);
  FIND(enterPipelineMode);
  FIND(sendQueryParams);
  FIND(sendPrepare);
  FIND(sendQueryPrepared);
  FIND(pipelineSync);
  FIND(flush);
  FIND(consumeInput);
  FIND(isBusy);
  FIND(getResult);
  FIND(resultStatus);
  FIND(resultErrorField);
  FIND(cmdStatus);
  FIND(cmdTuples);
  FIND(ntuples);
  FIND(nfields);
  FIND(fname);
  FIND(ftype);
  FIND(getisnull);
  FIND(getlength);
  FIND(getvalue);
  FIND(clear);
#undef FIND
  return true;
}

const PostgreSQLLibrary *postgresql_library(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static bool is_loaded;
  pthread_mutex_lock(&mutex);
  if (!is_loaded) is_loaded = load();
  pthread_mutex_unlock(&mutex);
  return is_loaded ? &functions : NULL;
}
