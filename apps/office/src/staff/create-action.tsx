import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import { refreshStaff } from './queries.ts';

/** Creates an account that stays off until another administrator approves. */
export function CreateAction() {
  const { t } = useText();
  const [made, setMade] = useState<{ account: string; password: string } | null>(null);
  return (
    <>
      <FormAction
        label={t('staff.create')}
        values={{ account: '', name: '', person: '' }}
        inputs={() => [
          <p key="text" className="secondary">
            {t('staff.createText')}
          </p>,
          { name: 'account', label: t('session.account') },
          { name: 'name', label: t('staff.name') },
          { name: 'person', label: t('staff.person'), hint: t('staff.personHint') },
        ]}
        send={async (body) => {
          const { oneTimePassword } = await post('staff/create', body);
          setMade({ account: body.account, password: oneTimePassword });
        }}
        refresh={refreshStaff}
        submit={t('staff.createSend')}
        done={null}
      />
      <SecretDialog
        title={t('staff.oneTime')}
        text={t('staff.oneTimeText', { account: made?.account ?? '' })}
        secret={made?.password ?? null}
        onClose={() => setMade(null)}
      />
    </>
  );
}
