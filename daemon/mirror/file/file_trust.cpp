#include "mirror/file/file_trust.hpp"

namespace shelfd::mirror {

void FileTrust::apply(TrustEvent event)
{
    const bool reads_fail = state_ == Trust::misread || state_ == Trust::condemned;
    switch (event) {
    case TrustEvent::begun_anew:
        state_ = Trust::unproven;
        acquitted_ = false;
        ++lives_;
        ++epoch_;
        return;
    case TrustEvent::same_boot: state_ = state_ == Trust::unproven ? Trust::sound : state_; return;
    case TrustEvent::other_boot: state_ = state_ == Trust::unproven ? Trust::in_doubt : state_; return;
    case TrustEvent::written_by_others:
        state_ = reads_fail ? state_ : Trust::in_doubt;
        ++epoch_;
        return;
    case TrustEvent::read_failed:
        state_ = reads_fail ? state_ : acquitted_ ? Trust::condemned : Trust::misread;
        ++epoch_;
        return;
    case TrustEvent::check_passed:
        acquitted_ = acquitted_ || state_ == Trust::misread;
        state_ = state_ == Trust::in_doubt || state_ == Trust::misread ? Trust::unproven : state_;
        return;
    }
}

}  // namespace shelfd::mirror
