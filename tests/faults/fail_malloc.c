/* Lets the n-th call for memory fail, as it does where memory ends. Preloaded by malloc_faults.py.

   FAULTS_AT     the number of the call that fails, 0: none
   FAULTS_MODE   once: that call alone; on: every call from there on
   FAULTS_LOG    a file: "before" or "within" main as the call fails, or the number of calls at the end
   FAULTS_SERVE  within main, the process stands still at its calls up to this number. On descriptor 100 it reads the
                 numbers of calls to fail, in rising order. For each it forks when it gets there, or at the last stop
                 when that is earlier; the child goes on alone and meets the fault. How it ended is written to 101.
                 Every number must come with the files as they were: nothing may be open at the last stop. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long n_calls;
static atomic_int is_within_main;
static atomic_int is_read;
static long fail_at;
static int fails_on;
static long serves_to; /* 0: it does not */
static long wanted;    /* the call that the next child is to fail */
enum { wishes = 100, answers = 101 };

static void read_wishes(void) {
  const char* at = getenv("FAULTS_AT");
  const char* mode = getenv("FAULTS_MODE");
  const char* serve = getenv("FAULTS_SERVE");
  serves_to = serve == NULL ? 0 : atol(serve);
  fail_at = at == NULL ? 0 : atol(at);
  fails_on = mode != NULL && strcmp(mode, "on") == 0;
  is_read = 1;
}

/* Takes no memory: it is called where there is none. */
static void log_line(const char* words) {
  const char* path = getenv("FAULTS_LOG");
  if (path == NULL) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (write(file, words, strlen(words)) < 0) { /* the caller sees an empty log */
  }
  close(file);
}

/* Children are made here, at call n, until one is wanted for a later stop. Only they return with serves_to 0. */
static void serve(long n) {
  for (;;) {
    if (wanted == 0 && read(wishes, &wanted, sizeof wanted) != sizeof wanted) _exit(0);
    if (wanted > n && n < serves_to) return;
    const pid_t child = fork();
    if (child == 0) {
      fail_at = wanted;
      serves_to = 0;
      close(wishes);
      close(answers);
      return;
    }
    int status = -1;
    if (child > 0) waitpid(child, &status, 0);
    if (write(answers, &status, sizeof status) != sizeof status) _exit(1);
    wanted = 0;
  }
}

static int must_fail(void) {
  const int code = errno;
  if (!is_read) read_wishes();
  const long n = ++n_calls;
  if (serves_to != 0 && is_within_main) serve(n);
  if (n == fail_at) log_line(is_within_main ? "within\n" : "before\n");
  errno = code;
  if (fail_at == 0 || (fails_on ? n < fail_at : n != fail_at)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) {
  return must_fail() ? NULL : __libc_malloc(size);
}

void* calloc(size_t n, size_t size) {
  return must_fail() ? NULL : __libc_calloc(n, size);
}

void* realloc(void* old, size_t size) {
  if (old != NULL && size == 0) return __libc_realloc(old, size);
  return must_fail() ? NULL : __libc_realloc(old, size);
}

void* memalign(size_t alignment, size_t size) {
  return must_fail() ? NULL : __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
  void* const memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

/* What comes before main is the work of the loader and the libraries, not the tool's. */

typedef int (*Main)(int, char**, char**);
static Main real_main;

static int watched_main(int argc, char** argv, char** environment) {
  is_within_main = 1;
  return real_main(argc, argv, environment);
}

int __libc_start_main(Main tool, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*end)(void),
                      void* stack) {
  typedef int (*Start)(Main, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  Start start = NULL;
  void* const address = dlsym(RTLD_NEXT, "__libc_start_main");
  memcpy(&start, &address, sizeof start);
  real_main = tool;
  return start(watched_main, argc, argv, init, fini, end, stack);
}

__attribute__((destructor)) static void log_count(void) {
  if (fail_at != 0) return;
  char words[24];
  char* at = words + sizeof words;
  *--at = '\0';
  *--at = '\n';
  for (long n = n_calls; n > 0; n /= 10) *--at = (char)('0' + n % 10);
  log_line(at);
}
