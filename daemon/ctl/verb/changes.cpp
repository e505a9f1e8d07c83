#include "base/words/shell_word.hpp"
#include "ctl/context/interruption.hpp"
#include "ctl/daemon/answer.hpp"
#include "ctl/mirror/change_reader.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/mirror/mirror_format.hpp"
#include "ctl/verb/verbs.hpp"

#include <boost/json/object.hpp>
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

// Tells the daemon about the named consumer; without a position, to forget it.
ExitCode post_consumer(const Context& context, const std::string& path, const std::string& position)
{
    boost::json::object body{{"library", context.command.library}, {"consumer", context.command.read.consumer}};
    if (!position.empty()) {
        body["position"] = position;
    }
    boost::json::object answer;
    return ask_to_act(context, path, body, answer);
}

// For a consumer that has read the tables.
std::string resume_consumer(const Command& command, const Position& newest)
{
    return fmt::format("shelfctl changes {} --consumer {} --since {} --ack", shell_word(command.library),
                       command.read.consumer, newest.to_text());
}

// Prints changes and remembers the position.
class Follower {
public:
    Follower(const Context& context, ChangeReader reader, Position position, ChangeReader::Loads loads)
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
                context_.terminal.complain(
                    fmt::format("{}; read the tables again, then continue with{}", batch->gap, go_on(batch->reached)));
                return ExitCode::gap;
            }
            print(*batch);
            more = batch->more;
            if (const auto code = acknowledge(); code != ExitCode::done) {
                return code;
            }
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
    // What to type after a gap; a named consumer is told where it is now.
    std::string go_on(const Position& newest) const
    {
        const auto& command = context_.command;
        return command.read.consumer.empty() ? fmt::format(" --since {}", newest.to_text())
                                             : ": " + resume_consumer(command, newest);
    }

    // What was printed, if that is asked for: only once standard output has taken it.
    ExitCode acknowledge()
    {
        const auto& read = context_.command.read;
        if (!read.acknowledge || position_ == acknowledged_) {
            return ExitCode::done;
        }
        if (!context_.terminal.is_intact()) {
            return ExitCode::failed;  // the program says so at its end
        }
        const auto code = post_consumer(context_, "/v1/changes/acknowledge", position_.to_text());
        acknowledged_ = code == ExitCode::done ? position_ : acknowledged_;
        return code;
    }

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
    Position acknowledged_ = {};  // by this process
};

// An empty optional for a consumer that has acknowledged nothing yet.
Result<std::optional<Position>> starting_point(const ReadOptions& read, ChangeReader& reader)
{
    const auto& since = read.since;
    if (since.empty() && !read.consumer.empty()) {
        return reader.acknowledged_by(read.consumer);
    }
    if (!since.empty() && since != "now") {
        return Position::parse(since);  // the grammar has checked it
    }
    SHELFD_TRY_ASSIGN(end, since.empty() ? reader.oldest() : reader.newest());
    return std::optional(std::move(end));
}

// Empty if the mirror cannot be read here, or the consumer has acknowledged nothing.
std::optional<Position> acknowledged_before(const Context& context)
{
    const auto path = find_mirror(context);
    auto reader = path ? ChangeReader::open(*path, "") : Result<ChangeReader>(path.error());
    const auto position = reader ? reader->acknowledged_by(context.command.read.consumer) : reader.error();
    return position ? *position : std::nullopt;
}

ExitCode acknowledge_up_to(const Context& context)
{
    const auto& read = context.command.read;
    const auto before = acknowledged_before(context);
    const auto code = post_consumer(context, "/v1/changes/acknowledge", read.acknowledge_up_to);
    if (code != ExitCode::done) {
        return code;
    }
    const auto now = Position::parse(read.acknowledge_up_to);
    const bool goes_back = before && now && before->feed == now->feed && now->is_before(before->seq, before->load);
    if (goes_back) {
        context.terminal.complain(
            fmt::format("consumer {} had acknowledged {} and goes back to {}: the changes between "
                        "them are told to it again",
                        read.consumer, before->to_text(), now->to_text()));
    }
    return code;
}

ExitCode say_unknown(const Context& context, ChangeReader& reader)
{
    const auto newest = reader.newest();
    if (!newest) {
        return fail(context, newest.error());
    }
    context.terminal.complain(fmt::format(
        "consumer {0} has acknowledged nothing in this mirror: it is new, or the mirror was created again or "
        "restored from a copy; read the tables, then continue with: {1}",
        context.command.read.consumer, resume_consumer(context.command, *newest)));
    return ExitCode::gap;
}

}  // namespace

ExitCode run_changes(const Context& context)
{
    const auto& read = context.command.read;
    if (read.forget_consumer || !read.acknowledge_up_to.empty()) {
        const auto code =
            read.forget_consumer ? post_consumer(context, "/v1/changes/forget", "") : acknowledge_up_to(context);
        if (code == ExitCode::done && context.command.output == Output::json) {
            context.terminal.print_json("{\"ok\":true}\n");
        }
        return code;
    }
    const auto path = find_mirror(context);
    if (!path) {
        return fail(context, path.error());
    }
    auto reader = ChangeReader::open(*path, context.command.resource);
    if (!reader) {
        return fail(context, with_list(reader.error(), context.command.library));
    }
    auto since = starting_point(read, *reader);
    if (!since) {
        return fail(context, since.error());
    }
    if (!*since) {
        return say_unknown(context, *reader);
    }
    const bool continues = !read.since.empty() || !read.consumer.empty();
    Follower follower(context, std::move(*reader), std::move(**since),
                      continues ? ChangeReader::Loads::told : ChangeReader::Loads::ignored);
    const auto code = read.follow ? follower.follow() : follower.catch_up();
    if (code == ExitCode::done) {
        follower.print_position();
    }
    return code;
}

}  // namespace shelfd::ctl
