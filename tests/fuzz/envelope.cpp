// The frame around a page. The first byte chooses what the configuration expects.
#include "fuzz/input.hpp"
#include "mirror/json/object.hpp"
#include "sync/service/envelope.hpp"

#include <string>

using namespace shelfd;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const auto answers = data[0] % 2 == 0 ? config::Answers::list : config::Answers::object;
    std::string body(fuzz::text_of(data + 1, size - 1));
    const auto page = sync::read_page(body, answers);
    if (!page) {
        promise(!page.error().text().empty(), "an answer that is no page has a reason");
        const auto kind = page.error().kind();
        promise(kind == ErrorKind::protocol || kind == ErrorKind::config, "and one of the two kinds");
        return 0;
    }
    const auto rows = page->results;
    promise(rows == "[]" || (rows.data() >= body.data() && rows.data() + rows.size() <= body.data() + body.size()),
            "rows that are there lie inside the body");
    promise(rows.starts_with('[') && rows.ends_with(']'), "the rows are an array");
    promise(sync::envelope_from(sync::to_string(page->envelope)) == page->envelope, "an envelope has a name");
    promise(sync::agree(page->envelope, page->envelope) == page->envelope, "an envelope goes with itself");
    return 0;
}
