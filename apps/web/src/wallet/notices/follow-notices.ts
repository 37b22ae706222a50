import type { Notice } from '@fairtick/protocol';
import { followInSession } from '../../api/stream.ts';
import { takeInbox, takeNotice } from '../../live/notices.ts';
import { refreshUserInfo } from '../../live/user-info.ts';
import { useToast } from '../../state/toast.ts';

/** Keeps the inbox's mark current, and shows decisions on every screen while somebody is logged in. Called once. */
export const followNotices = (): void => {
  let hasBegun = false;
  followInSession('notices', (message) => {
    if (message.type === 'change') return tell(message.data);
    takeInbox(message.data);
    // A notice that came while the line was gone may be about the account.
    if (hasBegun) void refreshUserInfo();
    hasBegun = true;
  });
};

function tell(notice: Notice): void {
  takeNotice(notice);
  // The screen that made a change confirms it; a toast would hide that.
  if (!/^(security|protection)\./.test(notice.kind)) {
    // A refusal must not be shown with a check mark.
    useToast.getState().show(notice.title, { isFault: /\.(failure|failed|ignored)$/.test(notice.kind) });
  }
  // The status of the verification, freezes and holds are part of the user info.
  if (/^(verification|freeze|hold)\./.test(notice.kind)) void refreshUserInfo();
}
