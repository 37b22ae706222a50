import { readDigits } from '@fairtick/money';
import { STAFF_ROLES } from '@fairtick/protocol/staff-roles';
import { post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { FormEnd, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { useToast } from '../state/toast.ts';
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
  const form = useForm({ draft: `staff ${member.id}`, values: { choice: '', reason: '', customerId: '' } });
  const { choice, reason, customerId } = form.values;
  const isLink = choice === 'link' || choice === 'unlink';
  const send = async () => {
    const [kind, role] = choice.split(':') as [string, string | undefined];
    if (kind === 'disable') await post('staff/disable', { id: member.id, reason });
    else
      await post('staff/propose', {
        kind,
        staffId: member.id,
        role,
        ...(isLink ? { customerId: readDigits(customerId) ?? '' } : {}),
      });
    await refreshStaff();
    useToast.getState().show(t(kind === 'disable' ? 'staff.disabled' : 'staff.proposed'));
    onClose();
  };
  if (member.id === me?.id) return <p>{t('staff.oneself')}</p>;
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <SelectField
        label={t('staff.change')}
        {...form.field('choice')}
        fault={form.faultOf('kind') ?? form.faultOf('role')}
      >
        <option value="">{t('staff.choose')}</option>
        {choicesOf(member).map((value) => {
          const [kind, role] = value.split(':') as [string, string | undefined];
          return (
            <option key={value} value={value}>
              {word('change', kind)}
              {role === undefined ? '' : `: ${word('role', role)}`}
            </option>
          );
        })}
      </SelectField>
      {choice === 'disable' && (
        <TextField label={t('staff.reason')} maxLength={500} {...form.field('reason')} />
      )}
      {isLink && (
        <DigitsField
          label={t('staff.customer')}
          hint={t('staff.customerHint')}
          {...form.field('customerId')}
        />
      )}
      <p className="secondary">{t(choice === 'disable' ? 'staff.disableText' : 'staff.proposeText')}</p>
      <FormEnd form={form} onCancel={onClose}>
        {t(choice === 'disable' ? 'staff.disable' : 'staff.propose')}
      </FormEnd>
    </form>
  );
}
