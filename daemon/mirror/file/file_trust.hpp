// How far the file behind a mirror is trusted; decides without I/O what is checked before it is used again.
#pragma once

#include <cstdint>

namespace shelfd::mirror {

enum class Trust {
    unproven,   // not known to be whole since this boot: its boot id is compared before the first write
    sound,      // found whole, or written, under this boot
    in_doubt,   // somebody else wrote to it, or the machine was booted since: checked before it is used again
    misread,    // a part of it could not be read: the same
    condemned,  // a part of it could not be read although an earlier check found nothing: no check acquits it
};

enum class TrustEvent {
    begun_anew,         // an empty file has taken its place
    same_boot,          // it was written under this boot, or never before
    other_boot,         // it was last written under another boot
    written_by_others,  // not as we left it
    read_failed,        // SQLite or we found it corrupt
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

    // It is opened anew and checked before it is used again.
    bool must_be_checked() const { return state_ >= Trust::in_doubt; }
    // How many times a file was begun anew: 0 for the one that was there first.
    std::uint64_t lives() const { return lives_; }
    // Grows when earlier checks of single tables say nothing any more.
    std::uint64_t epoch() const { return epoch_; }

private:
    Trust state_ = Trust::unproven;
    bool acquitted_ = false;  // a check found nothing after a read had failed
    std::uint64_t lives_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace shelfd::mirror
