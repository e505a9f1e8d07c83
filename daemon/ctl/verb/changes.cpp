#include "ctl/context/interruption.hpp"
#include "ctl/mirror/change_reader.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string_view.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

constexpr Duration poll_interval = std::chrono::milliseconds(500);

std::string quoted(const std::string& text)
{
    return boost::json::serialize(boost::json::string_view(text));
}

// The mirror holds keys and values as JSON; they are copied, so numbers keep their text.
std::string json_line(const Change& change, const std::string& feed)
{
    return fmt::format(
        R"({{"position":{},"seen_at":{},"run_id":{},"resource":{},"key":{},"op":{},"before":{},"after":{}}})"
        "\n",
        quoted(Position{feed, change.seq}.to_text()), quoted(change.seen_at), quoted(change.run_id),
        quoted(change.resource), change.item_key, quoted(change.op), change.before.value_or("null"),
        change.after.value_or("null"));
}

std::string text_line(const Change& change, const std::string& feed)
{
    const auto& before = change.before;
    const auto& after = change.after;
    const auto values = before && after ? fmt::format("  {} -> {}", *before, *after)
                        : before        ? "  " + *before
                        : after         ? "  " + *after
                                        : "";
    const auto at = Instant::from_rfc3339(change.seen_at);
    return fmt::format("{}  {}  {:6}  {} {}{}\n", Position{feed, change.seq}.to_text(),
                       at ? at->to_short_text() : change.seen_at, change.op, change.resource, change.item_key, values);
}

// Prints changes and remembers the position.
class Consumer {
public:
    Consumer(const Context& context, ChangeReader reader, Position position, ChangeReader::Loads loads)
        : context_(context), reader_(std::move(reader)), position_(std::move(position)), loads_(loads)
    {
    }

    // Prints all present changes. Returns another code than `done` if it cannot continue; the reason was then printed.
    ExitCode catch_up()
    {
        for (bool more = true; more;) {
            const auto batch = reader_.after(position_, loads_);
            if (!batch) {
                return fail(context_, batch.error());
            }
            if (!batch->gap.empty()) {
                context_.terminal.complain(batch->gap);
                return ExitCode::gap;
            }
            print(*batch);
            more = batch->more;
        }
        loads_ = ChangeReader::Loads::told;  // from here on a reader follows
        return ExitCode::done;
    }

    ExitCode follow()
    {
        Interruption interruption;
        do {
            const auto written = reader_.written();
            if (!written) {
                return fail(context_, written.error());
            }
            if (*written) {
                if (const auto code = catch_up(); code != ExitCode::done) {
                    return code;
                }
            }
        } while (interruption.wait(context_.clock, poll_interval));
        return ExitCode::done;
    }

    void print_position() const
    {
        const auto position = position_.to_text();
        is_json() ? context_.terminal.print_json(fmt::format("{{\"position\":{}}}\n", quoted(position)))
                  : context_.terminal.print(fmt::format("position {}\n", position));
    }

private:
    bool is_json() const { return context_.command.output == Output::json; }

    void print(const ChangeBatch& batch)
    {
        std::string text;
        for (const auto& change : batch.changes) {
            text += is_json() ? json_line(change, batch.reached.feed) : text_line(change, batch.reached.feed);
        }
        if (!text.empty()) {
            is_json() ? context_.terminal.print_json(text) : context_.terminal.print(text);
        }
        position_ = batch.reached;
    }

    const Context& context_;
    ChangeReader reader_;
    Position position_;
    ChangeReader::Loads loads_;
};

Result<Position> starting_point(const std::string& since, ChangeReader& reader)
{
    if (since.empty()) {
        return reader.oldest();
    }
    if (since == "now") {
        return reader.newest();
    }
    // The grammar has checked it.
    return Position::parse(since).value_or(Position());
}

}  // namespace

ExitCode run_changes(const Context& context)
{
    const auto path = find_mirror(context);
    if (!path) {
        return fail(context, path.error());
    }
    auto reader = ChangeReader::open(*path, context.command.resource);
    if (!reader) {
        return fail(context, reader.error());
    }
    auto since = starting_point(context.command.read.since, *reader);
    if (!since) {
        return fail(context, since.error());
    }
    const auto loads = context.command.read.since.empty() ? ChangeReader::Loads::ignored : ChangeReader::Loads::told;
    Consumer consumer(context, std::move(*reader), std::move(*since), loads);
    const auto code = context.command.read.follow ? consumer.follow() : consumer.catch_up();
    if (code == ExitCode::done) {
        consumer.print_position();
    }
    return code;
}

}  // namespace shelfd::ctl
