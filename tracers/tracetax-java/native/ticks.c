/* The processor's counter for tracetax.ring.Ticks. No header of the JDK is needed for a function without arguments. */
#include <stdint.h>

int64_t Java_tracetax_ring_Ticks_read(void *env, void *class) {
	(void)env;
	(void)class;
#if defined(__x86_64__)
	uint32_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (int64_t)((uint64_t)high << 32 | low);
#elif defined(__aarch64__)
	uint64_t count;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return (int64_t)count;
#else
#error "no counter is known for this processor"
#endif
}
