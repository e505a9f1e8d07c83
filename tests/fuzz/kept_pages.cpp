// The pages of a walk that was interrupted. The first byte says whether the hash of each entry is mended, so that what
// stands behind it is reached, too.
#include "mirror/file/kept_pages.hpp"
#include "fuzz/input.hpp"
#include "fuzz/scratch_file.hpp"
#include "mirror/json/content_hash.hpp"

#include <cstring>

using namespace shelfd;
using fuzz::promise;
using mirror::KeptPages;

namespace {

constexpr std::size_t header_size = 16;  // length and hash, 64 bits each
constexpr std::uint64_t hash_seed = 4;

std::string mended(std::string_view input)
{
    std::string text(input);
    for (std::size_t at = 0; text.size() - at >= header_size;) {
        std::uint64_t length = 0;
        std::memcpy(&length, text.data() + at, sizeof length);
        length = std::min<std::uint64_t>(length, text.size() - at - header_size);
        const auto entry = std::string_view(text).substr(at + header_size, length);
        const auto hash = mirror::content_hash(entry, hash_seed).first;
        std::memcpy(text.data() + at, &length, sizeof length);
        std::memcpy(text.data() + at + 8, &hash, sizeof hash);
        at += header_size + length;
    }
    return text;
}

void check_walk(KeptPages& record, const std::string& path, const std::string& plan, Instant now)
{
    promise(record.walk().plan == plan, "a walk goes on with its own plan only");
    std::uint64_t pages = 0;
    while (const auto page = record.next()) {
        ++pages;
    }
    promise(pages == record.pages() && pages > 0, "every page that was counted is read");
    const mirror::RecordedPage next{now, "page=9", "{}", "[{\"id\":9}]\n[]"};
    promise(record.append(next).has_value(), "a page can be put behind them");
    const auto again = KeptPages::resume(path, plan, now);
    promise(again && again->pages() == pages + 1, "and is there from then on");
    std::optional<mirror::RecordedPage> last;
    while (auto page = again->next()) {
        last = std::move(page);
    }
    promise(last && last->at == next.at && last->query == next.query && last->frame == next.frame &&
                last->results == next.results,
            "as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const fuzz::ScratchFile file;
    if (size == 0) {
        return 0;
    }
    const auto text = fuzz::text_of(data + 1, size - 1);
    const bool is_mended = data[0] % 2 != 0;
    file.fill(is_mended ? mended(text) : std::string(text));
    const std::string plan = "full recipes";
    const auto now = Instant::from_seconds(1'704'520'800);
    const auto seen = KeptPages::look_at(file.path(), plan, now);
    const auto record = KeptPages::resume(file.path(), plan, now);
    // Whoever looks does not compare hashes, and sees the instant of a damaged page.
    promise(!record || seen || !is_mended, "what goes on was there to see");
    if (record) {
        check_walk(*record, file.path(), plan, now);
    }
    return 0;
}
