/* SPDX-License-Identifier: Apache-2.0
 *
 * For dpdk_lent.c: a program that DPDK is linked into. Its calls do not pass the dynamic linker, so that a preloaded
 * function does not replace DPDK's. The program's own symbol table names the functions, and a jump written over the
 * begin of a function leads to the replacement. To call the original the jump is removed for as long as the call lasts,
 * which suits functions that are called seldom and by one thread at a time.
 */
#ifndef LENT_STATIC_H
#define LENT_STATIC_H

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define LENT_FORGET(at, size) VALGRIND_DISCARD_TRANSLATIONS(at, size)
#endif
#endif
#ifndef LENT_FORGET
#define LENT_FORGET(at, size) ((void)(at), (void)(size))
#endif

/* jmp *0(%rip), followed by the address. */
enum { LENT_JUMP_OPCODE = 6, LENT_JUMP = LENT_JUMP_OPCODE + 8 };

struct lent_patch {
	uint8_t *at;
	uint8_t jump[LENT_JUMP], original[LENT_JUMP];
};

/* Where the program itself is mapped: the loader reports it first. */
static int lent_program_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

static void *lent_find(const uint8_t *file, size_t size, const char *name, size_t least)
{
	const Elf64_Ehdr *header = (const void *)file;
	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shoff > size ||
	    header->e_shnum > (size - header->e_shoff) / sizeof(Elf64_Shdr))
		return NULL;
	const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
	for (unsigned s = 0; s < header->e_shnum; s++) {
		const Elf64_Shdr *table = &sections[s];
		if ((table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM) || table->sh_link >= header->e_shnum)
			continue;
		const Elf64_Shdr *text = &sections[table->sh_link];
		if (table->sh_offset > size || table->sh_size > size - table->sh_offset || text->sh_offset > size ||
		    text->sh_size > size - text->sh_offset)
			continue;
		const Elf64_Sym *symbols = (const void *)(file + table->sh_offset);
		const char *names = (const char *)file + text->sh_offset;
		for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
			const Elf64_Sym *one = &symbols[i];
			if (one->st_shndx == SHN_UNDEF || one->st_size < least || one->st_name >= text->sh_size ||
			    strncmp(names + one->st_name, name, text->sh_size - one->st_name) != 0)
				continue;
			uintptr_t base = 0;
			dl_iterate_phdr(lent_program_base, &base);
			return (void *)(base + one->st_value);
		}
	}
	return NULL;
}

/* What the program itself defines by that name, of at least that many bytes; NULL: nothing, or it is stripped. */
__attribute__((unused)) static void *lent_symbol(const char *name, size_t least)
{
	void *found = NULL;
	struct stat status;
	int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (program < 0)
		return NULL;
	if (fstat(program, &status) == 0 && status.st_size > 0) {
		void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, program, 0);
		if (file != MAP_FAILED) {
			found = lent_find(file, (size_t)status.st_size, name, least);
			munmap(file, (size_t)status.st_size);
		}
	}
	close(program);
	return found;
}

/* Returns false if the pages cannot be made writable. */
static bool lent_write(struct lent_patch *patch, const uint8_t bytes[LENT_JUMP])
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)patch->at & ~(page - 1);
	size_t size = (uintptr_t)patch->at + LENT_JUMP - begin;
	if (mprotect((void *)begin, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	memcpy(patch->at, bytes, LENT_JUMP);
	LENT_FORGET(patch->at, LENT_JUMP);
	return mprotect((void *)begin, size, PROT_READ | PROT_EXEC) == 0;
}

static bool lent_patch_apply(struct lent_patch *patch)
{
	return lent_write(patch, patch->jump);
}

static bool lent_patch_remove(struct lent_patch *patch)
{
	return lent_write(patch, patch->original);
}

/* Leads the function at `at` to `to`. */
static bool lent_patch_init(struct lent_patch *patch, void *at, void *to)
{
	static const uint8_t opcode[LENT_JUMP_OPCODE] = {0xff, 0x25, 0, 0, 0, 0};
	patch->at = at;
	memcpy(patch->original, at, LENT_JUMP);
	memcpy(patch->jump, opcode, sizeof(opcode));
	memcpy(patch->jump + LENT_JUMP_OPCODE, &to, sizeof(to));
	return lent_patch_apply(patch);
}

#endif /* LENT_STATIC_H */
