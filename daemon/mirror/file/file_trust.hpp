// How far the file of a mirror is trusted. Decides, without I/O, what is checked before it is used again.
#pragma once

#include <cstdint>

namespace shelfd::mirror {

enum class Trust {
    unproven,   // not known to be sound since this boot: its boot id is compared before the first write
    sound,      // found sound, or written, under this boot
    in_doubt,   // written by another program, or the machine was rebooted: checked before it is used again
    misread,    // a part could not be read: checked before it is used again
    condemned,  // a part could not be read although an earlier check passed: no check restores trust
};

enum class TrustEvent {
    begun_anew,         // an empty file replaced it
    same_boot,          // it was written under this boot, or never before
    other_boot,         // it was last written under another boot
    written_by_others,  // it is not as we left it
    read_failed,        // SQLite or this program found it corrupt
    check_passed,       // PRAGMA quick_check found nothing
};

// | state                     | event             | next                                          |
// |---------------------------|-------------------|-----------------------------------------------|
// | any                       | begun_anew        | unproven, and never acquitted                 |
// | unproven                  | same_boot         | sound                                         |
// | unproven                  | other_boot        | in_doubt                                      |
// | unproven, sound, in_doubt | written_by_others | in_doubt                                      |
// | unproven, sound, in_doubt | read_failed       | condemned if acquitted before, else misread   |
// | in_doubt                  | check_passed      | unproven                                      |
// | misread                   | check_passed      | unproven, and acquitted                       |
//
// Every other pair changes nothing: a misread file stays so until it is checked, a condemned one until it is replaced.
class FileTrust {
public:
    Trust state() const { return state_; }
    void apply(TrustEvent event);

    // True if the file must be reopened and checked before it is used again.
    bool must_be_checked() const { return state_ >= Trust::in_doubt; }
    // How often the file was replaced by a new one; 0 for the first.
    std::uint64_t lives() const { return lives_; }
    // Grows when earlier checks of single tables are no longer valid.
    std::uint64_t epoch() const { return epoch_; }

private:
    Trust state_ = Trust::unproven;
    bool acquitted_ = false;  // a check passed after a read had failed
    std::uint64_t lives_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace shelfd::mirror
