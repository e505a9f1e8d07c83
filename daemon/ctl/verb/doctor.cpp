#include "ctl/doctor/checks.hpp"
#include "ctl/doctor/doctor_text.hpp"
#include "ctl/doctor/mends.hpp"
#include "ctl/survey/survey.hpp"
#include "ctl/verb/verbs.hpp"

namespace shelfd::ctl {

ExitCode run_doctor(const Context& context)
{
    const auto& command = context.command;
    auto facts = survey(context);
    std::vector<Mended> mended;
    if (command.care.fix) {
        mended = mend(find_wrong_rights(facts));
        if (!mended.empty()) {
            facts = survey(context);
        }
    }
    const auto findings = check_all(facts);
    if (command.output == Output::json) {
        context.terminal.print_json(doctor_json(findings, mended, find_readers(facts)));
    } else {
        const auto passed = command.all ? Passed::listed : Passed::folded;
        context.terminal.print(doctor_text(findings, mended, passed, context.terminal));
        if (command.care.fix && mended.empty()) {
            context.terminal.print("nothing to mend: no mode or group of our own files is wrong\n");
        }
    }
    return exit_code_of(findings);
}

}  // namespace shelfd::ctl
