// The body of a request on the control socket.
#include "control/api/request_fields.hpp"
#include "fuzz/input.hpp"

using namespace shelfd;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    auto fields = control::RequestFields::parse(fuzz::text_of(data, size));
    if (!fields) {
        promise(fields.error().kind() == ErrorKind::usage && !fields.error().text().empty(),
                "a request that cannot be read is refused with a reason");
        return 0;
    }
    fields->required_text("library");
    fields->text("resource");
    fields->flag("full");
    fields->texts("keys");
    fields->count("sample");
    const auto wait = fields->seconds("wait");
    promise(!wait || *wait >= Duration(0), "nobody waits for the past");
    const auto finished = fields->finish();
    promise(finished || (finished.error().kind() == ErrorKind::usage && !finished.error().text().empty()),
            "what is wrong with it is told");
    return 0;
}
