#include "ctl/moves/move_all.hpp"

#include "ctl/moves/libraries_here.hpp"
#include "ctl/moves/set_output.hpp"

#include <fmt/format.h>

#include <string>

namespace shelfd::ctl {
namespace {

// Gives out the sets of all libraries. One that is refused stops no other; what cannot be written stops all.
class MoveOutOfAll {
public:
    explicit MoveOutOfAll(const Context& context) : context_(context) {}

    ExitCode run()
    {
        const auto status = libraries_here(context_, code_);
        if (!status) {
            return code_;
        }
        for (const auto& name : status->absent) {
            refuse(name, Error(ErrorKind::needs_person, "it is configured, but not running; see: shelfctl status"));
        }
        for (const auto& library : status->libraries) {
            if (library.token.state == TokenState::none) {
                context_.terminal.complain(fmt::format("{}: skipped, it has no token set", library.name));
            } else if (!move(library.name, library.token.state == TokenState::moved)) {
                return code_;
            }
        }
        context_.terminal.complain(
            moved_ == 0
                ? std::string("no set was moved")
                : fmt::format("{} {} secret and no longer used here; on the other machine: shelfctl auth move-in --all "
                              "< FILE, then remove the file; what does not arrive: {} prints it again, shelfctl auth "
                              "adopt LIB takes it back",
                              moved_, moved_ == 1 ? "set is" : "sets are", move_out_again(context_, "--all")));
        return code_;
    }

private:
    // False: go no further.
    bool move(const std::string& library, bool was_moved)
    {
        auto answer = ask_for_set(context_, library);
        if (!answer) {
            context_.terminal.complain(
                fmt::format("stopped at {}; {} continues", library, move_out_again(context_, "--all")));
            code_ = fail_without_daemon(context_, answer.error());
            return false;
        }
        if (const auto checked = answer->check(); !checked) {
            if (was_moved && checked.error().kind() == ErrorKind::usage) {
                context_.terminal.complain(fmt::format("{}: skipped, {}", library, checked.error().text()));
            } else {
                refuse(library, checked.error());
            }
            return true;
        }
        if (!print_set(context_, *answer)) {
            code_ = fail_unprinted(context_, library, "--all");
            return false;
        }
        if (was_moved) {
            context_.terminal.complain(
                fmt::format("{}: was moved to this destination before; its set is printed again", library));
        }
        ++moved_;
        return true;
    }

    void refuse(const std::string& library, const Error& why)
    {
        code_ = fail(context_, Error(why.kind(), fmt::format("{}: not moved, {}", library, why.text())));
    }

    const Context& context_;
    ExitCode code_ = ExitCode::done;
    std::size_t moved_ = 0;
};

}  // namespace

ExitCode move_out_all(const Context& context)
{
    return MoveOutOfAll(context).run();
}

}  // namespace shelfd::ctl
