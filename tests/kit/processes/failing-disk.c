/*
 * Preloaded into PostgreSQL: while the file named by FAIL_WHILE exists, each fsync of a file below pg_wal fails with EIO, and
 * with FAIL_WRITES set each write as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_broken(int fd) {
  const char *flag = getenv("FAIL_WHILE");
  char link[64], path[4096];
  ssize_t length;
  int before = errno;
  if (!flag || access(flag, F_OK) != 0) {
    errno = before;
    return 0;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink(link, path, sizeof path - 1);
  errno = before;
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "/pg_wal/") != NULL;
}

static int sync_or_fail(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (is_broken(fd)) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int fsync(int fd) { return sync_or_fail("fsync", fd); }
int fdatasync(int fd) { return sync_or_fail("fdatasync", fd); }

static ssize_t write_or_fail(const char *name, int fd, const void *data, size_t size, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t) =
      (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, name);
  if (getenv("FAIL_WRITES") && is_broken(fd)) {
    errno = EIO;
    return -1;
  }
  return real(fd, data, size, at);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return write_or_fail("pwrite", fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) { return write_or_fail("pwrite64", fd, data, size, at); }
