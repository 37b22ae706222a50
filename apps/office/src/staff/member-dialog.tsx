import { readDigits } from '@fairtick/money';
import { STAFF_ROLES } from '@fairtick/protocol/office/roles';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../shell/dialog.tsx';
import {
  Action,
  buttonsClass,
  FormFault,
  formClass,
  SelectField,
  TextField,
  useForm,
} from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { useToast } from '../state/toast.ts';
import { type Member, refreshStaff } from './queries.ts';
import css from './staff.module.css';

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
  const [choice, setChoice] = useState('');
  const [reason, setReason] = useState('');
  const [customerId, setCustomerId] = useState('');
  const isLink = choice === 'link' || choice === 'unlink';
  const form = useForm();
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
        required
        value={choice}
        fault={form.faultOf('kind') ?? form.faultOf('role')}
        onChange={(event) => setChoice(event.target.value)}
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
        <TextField
          label={t('staff.reason')}
          required
          maxLength={500}
          value={reason}
          fault={form.faultOf('reason')}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {isLink && (
        <DigitsField
          label={t('staff.customer')}
          hint={t('staff.customerHint')}
          required
          value={customerId}
          fault={form.faultOf('customerId')}
          onChange={(event) => setCustomerId(event.target.value)}
        />
      )}
      <p className={css.lead}>{t(choice === 'disable' ? 'staff.disableText' : 'staff.proposeText')}</p>
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action onClick={onClose}>{t('shell.cancel')}</Action>
        <Action look="gold" type="submit" disabled={form.isBusy || choice === ''}>
          {t(choice === 'disable' ? 'staff.disable' : 'staff.propose')}
        </Action>
      </div>
    </form>
  );
}
