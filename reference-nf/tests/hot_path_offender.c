/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Code that a hot path must not have, for the test of scripts/check_hot_path.sh. Never run.
 */
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) void *deeper(size_t n)
{
	__asm__ volatile("syscall" ::: "rcx", "r11", "memory");
	return malloc(n);
}

void offender_process(int *shared, size_t n);
__attribute__((noinline)) void offender_process(int *shared, size_t n)
{
	__atomic_fetch_add(shared, 1, __ATOMIC_SEQ_CST);
	printf("%p\n", deeper(n));
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1000)
		offender_process(&argc, (size_t)argc);
	return 0;
}
