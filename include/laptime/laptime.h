/* laptime: the C interface. Time scopes, steps and values of a training program.
 *
 * Contract: no call here throws, aborts, blocks on another thread's recording, or changes what the
 * program computes. When nothing records, every call is one predictable branch. When recording
 * fails (no space, no permission), it prints one line on stderr and stops, and the program goes on.
 *
 * The ABI is stable: functions are never removed, structs grow only at the end and carry their
 * size.
 *
 * Start recording with laptime_start, or run the program under `laptime run -- ./trainer`:
 *
 *   laptime_start("run.lap", NULL);
 *   static laptime_site forward = LAPTIME_SITE("forward");
 *   uint64_t t = laptime_begin();
 *   ...
 *   laptime_end(&forward, t);
 *   laptime_step(batch_size);
 *   laptime_stop();
 */
#ifndef LAPTIME_LAPTIME_H
#define LAPTIME_LAPTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LAPTIME_API __attribute__((visibility("default")))
#define LAPTIME_LIKELY_OFF(x) __builtin_expect(!!(x), 0)
#else
#define LAPTIME_API
#define LAPTIME_LIKELY_OFF(x) (x)
#endif

#ifdef __cplusplus
extern "C" {
#define LAPTIME_NOEXCEPT noexcept
#else
#define LAPTIME_NOEXCEPT
#endif

/* Not 0 while recording. LAPTIME_BY_TSC: the clock is the processor's time-stamp counter, so
 * laptime_begin needs no call. Read-only for programs. */
enum { LAPTIME_OFF = 0, LAPTIME_BY_TSC = 1, LAPTIME_BY_CALL = 2 };
extern LAPTIME_API int laptime_recording;

/* A timed place in the source. Make it static. `id` belongs to laptime. */
typedef struct laptime_site {
  const char* name;
  uint32_t id;
} laptime_site;
#define LAPTIME_SITE(name) {(name), 0}

typedef struct laptime_options {
  size_t size;           /* sizeof(laptime_options) */
  uint64_t memory_limit; /* bytes of raw records held at most; 0: 128 MiB */
} laptime_options;

/* Starts recording into PATH, a .lap file that is written when recording stops. Until then PATH.d/
 * contains the run. NULL: the folder of `laptime run`, else "laptime.lap". Returns 0, or -1 with
 * the reason in laptime_error(). Starting twice is an error. Starting again after laptime_stop is
 * not.
 */
LAPTIME_API int laptime_start(const char* path, const laptime_options* options) LAPTIME_NOEXCEPT;
/* Stops and writes the file. Also done at exit. Returns 0, or -1 with the reason in
 * laptime_error(). */
LAPTIME_API int laptime_stop(void) LAPTIME_NOEXCEPT;
/* The calling thread's latest error, "" if none. */
LAPTIME_API const char* laptime_error(void) LAPTIME_NOEXCEPT;
LAPTIME_API const char* laptime_version(void) LAPTIME_NOEXCEPT;

/* The clock, in ticks; never 0. */
LAPTIME_API uint64_t laptime_now(void) LAPTIME_NOEXCEPT;

/* The number of a name known only at run time, for the calls below. Takes about 50 ns: keep the
 * number if it is used often. */
LAPTIME_API uint32_t laptime_name(const char* text, size_t length) LAPTIME_NOEXCEPT;

/* Records a span from START (laptime_now or laptime_begin) to now. Does nothing if START is 0. */
LAPTIME_API void laptime_end_site(laptime_site* site, uint64_t start) LAPTIME_NOEXCEPT;
LAPTIME_API void laptime_end_name(uint32_t name, uint64_t start) LAPTIME_NOEXCEPT;

/* Marks the end of a training step. The first step of a thread begins where recording began.
 * SAMPLES: how many samples the step trained on, 0 if unknown. */
LAPTIME_API void laptime_mark_step(uint64_t samples) LAPTIME_NOEXCEPT;
LAPTIME_API void laptime_record_value(uint32_t name, double value) LAPTIME_NOEXCEPT;
/* Names the calling thread in reports. */
LAPTIME_API void laptime_name_thread(const char* name) LAPTIME_NOEXCEPT;

/* Reads the flag once, with an atomic load: another thread may start or stop recording at any time.
 */
static inline int laptime_is_recording(void) {
#if defined(__GNUC__)
  return __atomic_load_n(&laptime_recording, __ATOMIC_RELAXED);
#else
  return *(volatile int*)&laptime_recording;
#endif
}
static inline uint64_t laptime_begin(void) {
  const int how = laptime_is_recording();
  if (!LAPTIME_LIKELY_OFF(how)) return 0;
#if defined(__x86_64__) && defined(__GNUC__)
  if (how == LAPTIME_BY_TSC) return __builtin_ia32_rdtsc();
#endif
  return laptime_now();
}
static inline void laptime_end(laptime_site* site, uint64_t start) {
  if (LAPTIME_LIKELY_OFF(start != 0)) laptime_end_site(site, start);
}
static inline void laptime_step(uint64_t samples) {
  if (LAPTIME_LIKELY_OFF(laptime_is_recording())) laptime_mark_step(samples);
}
static inline void laptime_value(laptime_site* site, double value) {
  if (LAPTIME_LIKELY_OFF(laptime_is_recording())) {
    size_t n = 0;
    if (site->id == 0) {
      while (site->name[n]) ++n;
      site->id = laptime_name(site->name, n);
    }
    laptime_record_value(site->id, value);
  }
}

#ifdef __cplusplus
}
#endif

#endif
