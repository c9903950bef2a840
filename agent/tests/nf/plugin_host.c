/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that opens a plugin (first argument), with symbols that only the plugin finds, and runs its nf_main.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
	int (*run)(int, char **) = plugin != NULL ? (int (*)(int, char **))dlsym(plugin, "nf_main") : NULL;
	if (run == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	return run(argc - 1, argv + 1);
}
