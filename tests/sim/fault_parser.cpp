#include "sim/faults.hpp"
#include "sim/member_reader.hpp"

#include <fmt/format.h>

namespace shelfd::sim {

namespace {

std::optional<Cut> cut_from(std::string_view word)
{
    if (word == "before") {
        return Cut::before_acting;
    }
    if (word == "after") {
        return Cut::after_acting;
    }
    if (word == "header") {
        return Cut::in_header;
    }
    return word == "body" ? std::optional(Cut::in_body) : std::nullopt;
}

void read_times(MemberReader& reader, const Json& text, Fault& fault)
{
    const auto* times = text.find("times");
    if (times != nullptr && times->is(Json::Type::string) && times->text == "forever") {
        fault.times.reset();
        reader.known("times");
        return;
    }
    fault.times = reader.whole("times", 1);
    if (fault.times == 0) {
        reader.complain("times", "must be at least 1, or \"forever\"");
    }
}

void read_answer(MemberReader& reader, const Json& text, Fault& fault)
{
    if (text.find("status") != nullptr) {
        fault.status = static_cast<int>(reader.whole("status", 0));
    }
    if (text.find("body") != nullptr) {
        fault.body = reader.word("body");
    }
    fault.content_type = reader.word("content_type");
    if (reader.flag("html", false)) {
        fault.content_type = "text/html";
        fault.body = fault.body.value_or("<html><body><h1>We will be back soon</h1></body></html>\n");
    }
    fault.acts = reader.flag("acts", !fault.status.has_value());
    if (!fault.acts && !fault.status) {
        fault.status = 200;  // nobody else is there to give one
    }
    if (const auto* headers = text.find("headers"); headers != nullptr) {
        reader.known("headers");
        for (const auto& [name, value] : headers->members) {
            fault.headers.push_back({name, value.text});
        }
    }
}

void read_delivery(MemberReader& reader, const Json& text, Fault& fault)
{
    fault.delay = std::chrono::milliseconds(reader.whole("delay_ms", 0));
    fault.delay_after = std::chrono::milliseconds(reader.whole("delay_after_ms", 0));
    if (text.find("cut") != nullptr) {
        const auto cut = cut_from(reader.word("cut"));
        if (!cut) {
            reader.complain("cut", "must be \"before\", \"after\", \"header\" or \"body\"");
        }
        fault.cut = cut.value_or(Cut::none);
    }
    fault.cut_at = reader.whole("bytes", 0);
    fault.ending = reader.flag("reset", false) ? Ending::rst : Ending::fin;
    fault.drip_bytes = reader.whole("drip_bytes", 0);
    fault.drip_every = std::chrono::milliseconds(reader.whole("drip_ms", 100));
    fault.chunked = reader.flag("chunked", false);
}

}  // namespace

Result<Fault> fault_from(const Json& text)
{
    MemberReader reader(text);
    Fault fault;
    fault.path = reader.word("path", "/");
    fault.method = reader.word("method");
    fault.library = reader.word("library");
    fault.skip = reader.whole("skip", 0);
    read_times(reader, text, fault);
    read_answer(reader, text, fault);
    read_delivery(reader, text, fault);
    if (auto complaint = reader.first_complaint()) {
        return Error(ErrorKind::usage, std::move(*complaint));
    }
    return fault;
}

}  // namespace shelfd::sim
