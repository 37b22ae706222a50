/* Preloaded into PostgreSQL: while the file named by FAIL_SYNC_WHILE exists, nothing below pg_wal reaches the disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_broken(int fd) {
  const char *flag = getenv("FAIL_SYNC_WHILE");
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
