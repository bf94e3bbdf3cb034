/*
 * Loaded before libc: writes down, in their order, the writes, truncations and syncs of the files below a directory, so that the
 * states of the disk can be made again that a loss of power at any moment may leave. Shared memory (-shm) is none of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, TRUNCATE = 3 };

struct record {
  uint32_t kind;
  uint32_t name_length;
  uint64_t offset;
  uint64_t length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *directory;
static int log_file = -2;

static ssize_t (*real_write)(int, const void *, size_t);

static void open_log(void) {
  if (log_file != -2) return;
  real_write = dlsym(RTLD_NEXT, "write");
  const char *path = getenv("POWER_LOG");
  directory = getenv("POWER_DIRECTORY");
  log_file = path && directory ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}

/* The name of a file below the directory, or NULL for any other. */
static const char *name_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  size_t prefix = strlen(directory);
  if (strncmp(path, directory, prefix) != 0 || path[prefix] != '/') return NULL;
  if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return NULL;
  return path + prefix + 1;
}

static void append(const void *data, size_t length) {
  for (const char *at = data; length > 0;) {
    ssize_t written = real_write(log_file, at, length);
    if (written < 0) abort();
    at += written;
    length -= (size_t)written;
  }
}

static void note(uint32_t kind, int file, uint64_t offset, uint64_t length, const void *data) {
  char path[PATH_MAX];
  const char *name = log_file < 0 ? NULL : name_of(file, path);
  if (!name) return;
  struct record record = {kind, (uint32_t)strlen(name), offset, length};
  append(&record, sizeof record);
  append(name, record.name_length);
  if (data) append(data, length);
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off64_t);
typedef int (*truncate_function)(int, off64_t);
typedef int (*sync_function)(int);

ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
  static pwrite_function real;
  pthread_mutex_lock(&lock);
  open_log();
  if (!real) real = (pwrite_function)dlsym(RTLD_NEXT, "pwrite64");
  ssize_t written = real(file, data, length, offset);
  if (written > 0) note(WRITE, file, (uint64_t)offset, (uint64_t)written, data);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite(int file, const void *data, size_t length, off_t offset) { return pwrite64(file, data, length, offset); }

int ftruncate64(int file, off64_t length) {
  static truncate_function real;
  pthread_mutex_lock(&lock);
  open_log();
  if (!real) real = (truncate_function)dlsym(RTLD_NEXT, "ftruncate64");
  int result = real(file, length);
  if (result == 0) note(TRUNCATE, file, 0, (uint64_t)length, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

static int synced(int file, const char *name) {
  sync_function real = (sync_function)dlsym(RTLD_NEXT, name);
  pthread_mutex_lock(&lock);
  open_log();
  int result = real(file);
  if (result == 0) note(SYNC, file, 0, 0, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int file) { return synced(file, "fsync"); }
int fdatasync(int file) { return synced(file, "fdatasync"); }
