import { STAFF_ROLES } from '@fairtick/protocol/staff-roles';
import { post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { DialogForm } from '../shell/form-dialog.tsx';
import { type Member, refreshStaff } from './queries.ts';

/** Proposes a change about a member of staff, or turns their account off at once. */
export function MemberDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  return (
    <Dialog
      title={member === null ? '' : `${member.account} (${member.id})`}
      isOpen={member !== null}
      onClose={onClose}
    >
      {member !== null && <MemberForm member={member} onClose={onClose} />}
    </Dialog>
  );
}

/** The changes that make sense for this member: `kind`, or `kind:role`. */
function choicesOf({ isActive, roles, customers }: Member): string[] {
  const held = roles.map(({ role }) => role);
  // Turning off an administrator needs a second person (`turn_off`); others are turned off at once (`disable`).
  const off = held.includes('administrator') ? 'turn_off' : 'disable';
  return [
    ...STAFF_ROLES.filter((role) => !held.includes(role)).map((role) => `grant:${role}`),
    ...held.map((role) => `revoke:${role}`),
    'reset',
    isActive ? off : 'enable',
    'link',
    ...(customers.length > 0 ? ['unlink'] : []),
  ];
}

function MemberForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t, word } = useText();
  const me = useMe().data;
  if (member.id === me?.id) return <p>{t('staff.oneself')}</p>;
  return (
    <DialogForm
      draft={`staff ${member.id}`}
      values={{ choice: '', reason: '', customerId: '' }}
      inputs={({ choice }) => [
        {
          name: 'choice',
          label: t('staff.change'),
          choices: choicesOf(member),
          nameOf: (one) => {
            const [kind = '', role] = one.split(':');
            return word('change', kind) + (role === undefined ? '' : `: ${word('role', role)}`);
          },
          none: t('staff.choose'),
          shown: choice.includes(':') ? 'role' : 'kind',
        },
        choice === 'disable' && { name: 'reason', label: t('staff.reason'), maxLength: 500 },
        (choice === 'link' || choice === 'unlink') && {
          name: 'customerId',
          label: t('staff.customer'),
          hint: t('staff.customerHint'),
          kind: 'digits',
        },
        <p key="text" className="secondary">
          {t(choice === 'disable' ? 'staff.disableText' : 'staff.proposeText')}
        </p>,
      ]}
      send={async ({ choice, ...body }) => {
        const [kind, role] = choice.split(':');
        if (kind === 'disable') await post('staff/disable', { id: member.id, ...body });
        else await post('staff/propose', { kind, staffId: member.id, role, ...body });
        return kind === 'disable';
      }}
      refresh={refreshStaff}
      submit={({ choice }) => t(choice === 'disable' ? 'staff.disable' : 'staff.propose')}
      done={(isDisabled) => t(isDisabled ? 'staff.disabled' : 'staff.proposed')}
      onClose={onClose}
    />
  );
}
