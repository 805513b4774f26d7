// LD_PRELOAD shim: a disk that keeps only what was synced, and whose syncs can fail as they do on Linux.
//
// It watches the database file and its -wal (DISK_SHIM_DB names the database). For each it keeps, beside the file,
//   <file>.disk    what a power cut would leave: pages of 4 KiB, copied when they are synced, and some of them earlier,
//                  because the kernel may write a page back at any time
//   <file>.dirty   one byte per page: 1 if it was written since its last sync. A shared mapping, so it survives kill -9.
// A sync that fails marks its dirty pages clean without writing them, and every descriptor that was open at that time
// reports the error once. After a power cut the test copies <file>.disk over <file>.
//
// DISK_SHIM_FAIL=wal:N or db:N   fails the Nth sync of that file, and only that one
// DISK_SHIM_SEED=N               seeds the random early write-backs
// <database>.eio                 while this file exists, reads of the database and its WAL fail with EIO

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096
#define MAX_PAGES (1 << 20)
#define MAX_FDS 4096
#define EARLY_WRITEBACK_ONE_IN 8
#define WRITTEN_DESPITE_FAILURE_ONE_IN 4

enum { DB, WAL, FILES };

static struct {
  char path[4096];
  unsigned char *dirty;
  int disk, syncs, fail_at, errors;
} files[FILES];
// Of each descriptor: its file plus one, and how many errors of that file it has reported.
static struct {
  int file, seen;
} fds[MAX_FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char eio_path[4200];
static unsigned seed = 1;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
  const char *db = getenv("DISK_SHIM_DB"), *fail = getenv("DISK_SHIM_FAIL"), *random = getenv("DISK_SHIM_SEED");
  if (!db) return;
  snprintf(files[DB].path, sizeof files[DB].path, "%s", db);
  snprintf(files[WAL].path, sizeof files[WAL].path, "%s-wal", db);
  snprintf(eio_path, sizeof eio_path, "%s.eio", db);
  if (fail && !strncmp(fail, "wal:", 4)) files[WAL].fail_at = atoi(fail + 4);
  if (fail && !strncmp(fail, "db:", 3)) files[DB].fail_at = atoi(fail + 3);
  if (random) seed = (unsigned)atoi(random);
}

static int one_in(int count) { return rand_r(&seed) % (unsigned)count == 0; }

static int watched(int fd) { return fd >= 0 && fd < MAX_FDS ? fds[fd].file - 1 : -1; }

static void write_back(int fd, int file, off_t page) {
  char bytes[PAGE];
  ssize_t count = REAL(pread64)(fd, bytes, PAGE, page * PAGE);
  if (count > 0 && REAL(pwrite64)(files[file].disk, bytes, (size_t)count, page * PAGE) != count) abort();
  files[file].dirty[page] = 0;
}

static off_t size_of(int fd) {
  struct stat found;
  return fstat(fd, &found) ? 0 : found.st_size;
}

static int open_beside(int file, const char *suffix) {
  char path[4200];
  snprintf(path, sizeof path, "%s%s", files[file].path, suffix);
  int fd = REAL(open64)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) abort();
  return fd;
}

// A file met for the first time is on the disk as it is. It is read through a descriptor of its own, because the first one
// of the process may be write-only; SQLite holds no locks yet that closing it could drop.
static void attach(int file) {
  if (files[file].dirty) return;
  int map = open_beside(file, ".dirty");
  int is_first = size_of(map) == 0;
  if (REAL(ftruncate64)(map, MAX_PAGES)) abort();
  files[file].dirty = mmap(0, MAX_PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  if (files[file].dirty == MAP_FAILED) abort();
  REAL(close)(map);
  files[file].disk = open_beside(file, ".disk");
  int fd = REAL(open64)(files[file].path, O_RDONLY | O_CLOEXEC);
  for (off_t page = 0; is_first && page * PAGE < size_of(fd); page++) write_back(fd, file, page);
  REAL(close)(fd);
}

static int opened(const char *path, int fd) {
  if (fd < 0 || fd >= MAX_FDS) return fd;
  pthread_mutex_lock(&lock);
  fds[fd].file = 0;
  for (int file = 0; file < FILES; file++) {
    if (!files[file].path[0] || strcmp(path, files[file].path)) continue;
    attach(file);
    fds[fd].file = file + 1;
    fds[fd].seen = files[file].errors;
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

static void wrote(int fd, off_t offset, ssize_t count) {
  int file = watched(fd);
  if (file < 0 || count <= 0) return;
  pthread_mutex_lock(&lock);
  for (off_t page = offset / PAGE; page * PAGE < offset + count && page < MAX_PAGES; page++) {
    files[file].dirty[page] = 1;
    if (one_in(EARLY_WRITEBACK_ONE_IN)) write_back(fd, file, page);
  }
  pthread_mutex_unlock(&lock);
}

static int sync_file(int fd, int file) {
  pthread_mutex_lock(&lock);
  int fails = ++files[file].syncs == files[file].fail_at;
  off_t pages = (size_of(fd) + PAGE - 1) / PAGE;
  for (off_t page = 0; page < pages; page++) {
    if (!files[file].dirty[page]) continue;
    if (!fails || one_in(WRITTEN_DESPITE_FAILURE_ONE_IN)) write_back(fd, file, page);
    files[file].dirty[page] = 0;
  }
  if (fails) files[file].errors++;
  else if (REAL(ftruncate64)(files[file].disk, size_of(fd))) abort();
  int reports = fds[fd].seen < files[file].errors;
  fds[fd].seen = files[file].errors;
  pthread_mutex_unlock(&lock);
  if (reports) errno = EIO;
  return reports ? -1 : 0;
}

static mode_t mode_of(int flags, va_list more) { return flags & O_CREAT ? va_arg(more, mode_t) : 0; }

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(path, REAL(open64)(path, flags, mode));
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(path, REAL(open64)(path, flags, mode));
}

int close(int fd) {
  if (watched(fd) >= 0) fds[fd].file = 0;
  return REAL(close)(fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  ssize_t count = REAL(pwrite64)(fd, bytes, length, offset);
  wrote(fd, offset, count);
  return count;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
  if (watched(fd) >= 0 && access(eio_path, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return REAL(pread64)(fd, bytes, length, offset);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }

// SQLite may be built to seek and write instead.
ssize_t write(int fd, const void *bytes, size_t length) {
  off_t offset = watched(fd) < 0 ? 0 : lseek(fd, 0, SEEK_CUR);
  ssize_t count = REAL(write)(fd, bytes, length);
  wrote(fd, offset, count);
  return count;
}

ssize_t read(int fd, void *bytes, size_t length) {
  if (watched(fd) >= 0 && access(eio_path, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return REAL(read)(fd, bytes, length);
}

int fsync(int fd) {
  int file = watched(fd);
  return file < 0 ? REAL(fsync)(fd) : sync_file(fd, file);
}

int fdatasync(int fd) {
  int file = watched(fd);
  return file < 0 ? REAL(fdatasync)(fd) : sync_file(fd, file);
}

int ftruncate64(int fd, off64_t length) {
  int file = watched(fd);
  if (file < 0) return REAL(ftruncate64)(fd, length);
  pthread_mutex_lock(&lock);
  int code = REAL(ftruncate64)(fd, length);
  for (off_t page = (length + PAGE - 1) / PAGE; !code && page < MAX_PAGES; page++) files[file].dirty[page] = 0;
  pthread_mutex_unlock(&lock);
  return code;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

// SQLite deletes the WAL when the last connection closes; the next one is a new file.
int unlink(const char *path) {
  int code = REAL(unlink)(path);
  pthread_mutex_lock(&lock);
  if (code == 0 && files[WAL].dirty && !strcmp(path, files[WAL].path)) {
    char beside[4200];
    snprintf(beside, sizeof beside, "%s.disk", path);
    REAL(unlink)(beside);
    snprintf(beside, sizeof beside, "%s.dirty", path);
    REAL(unlink)(beside);
    munmap(files[WAL].dirty, MAX_PAGES);
    REAL(close)(files[WAL].disk);
    files[WAL].dirty = 0;
    for (int fd = 0; fd < MAX_FDS; fd++) if (fds[fd].file == WAL + 1) fds[fd].file = 0;
  }
  pthread_mutex_unlock(&lock);
  return code;
}
