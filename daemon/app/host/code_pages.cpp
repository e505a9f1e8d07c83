#include "app/host/code_pages.hpp"

#include <cstdint>

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace shelfd::app {
namespace {

// Only segments that are never written, not even by the linker at the start: relocated constants (RELRO) belong to a
// writable segment and would be lost.
bool is_unwritten(const ElfW(Phdr) & segment)
{
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && (segment.p_flags & PF_W) == 0;
}

// For dl_iterate_phdr(3), which holds the list of libraries still during the call.
int release_segments(dl_phdr_info* object, std::size_t, void* total) noexcept
{
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& segment = object->dlpi_phdr[i];
        if (!is_unwritten(segment)) {
            continue;
        }
        const auto begin = (object->dlpi_addr + segment.p_vaddr) / page * page;
        const auto end = (object->dlpi_addr + segment.p_vaddr + segment.p_filesz) / page * page;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the list of libraries has addresses as numbers
        if (begin < end && madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED) == 0) {
            *static_cast<std::size_t*>(total) += end - begin;
        }
    }
    return 0;
}

}  // namespace

std::size_t release_code_pages()
{
    std::size_t total = 0;
    dl_iterate_phdr(&release_segments, &total);
    return total;
}

}  // namespace shelfd::app
