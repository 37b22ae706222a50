import type { DepositRequest, WithdrawalRequest } from '@fairtick/protocol';
import { isFinal } from '@fairtick/protocol/lifecycles';
import { Button, buttonClass, CheckIcon } from '@fairtick/ui';
import { useEffect, useRef } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import css from './request-view.module.css';
import { RequestView } from './request-view.tsx';
import { type Request, useRequest } from './requests.ts';

export function SubmittedRequest(
  props: (
    | { kind: 'deposit'; request: DepositRequest }
    | { kind: 'withdrawal'; request: WithdrawalRequest }
  ) & { onAnother: () => void },
) {
  const { t } = useText();
  const known = { kind: props.kind, ...props.request } as Request;
  const { data } = useRequest(known.kind, known.id, known);
  const request = data ?? { ...known, history: [] };
  const top = useRef<HTMLElement>(null);
  useEffect(() => {
    // The form was left at its end: scroll to the top and focus the result there.
    top.current?.closest('main')?.scrollTo(0, 0);
    top.current?.focus();
  }, []);
  return (
    <>
      <header ref={top} className={`row full gap-12 mx-auto ${css.sent}`} tabIndex={-1}>
        <span>
          <CheckIcon size={22} />
        </span>
        <div>
          <h2>{t('shell.submitted')}</h2>
          <p className="note">
            {t(isFinal('deposit', request.status) ? 'wallet.decidedNote' : 'wallet.submittedNote')}
          </p>
        </div>
      </header>
      <RequestView request={request} onAgain={props.onAnother} />
      <div className={`stack full gap-10 mx-auto ${css.another}`}>
        <Link href={`/accessLog?type=${props.kind}`} className={buttonClass} data-look="gold" data-block>
          {t('wallet.toRecords')}
        </Link>
        {!isFinal('deposit', request.status) && (
          <Button isBlock onClick={props.onAnother}>
            {t(props.kind === 'deposit' ? 'deposit.another' : 'withdrawal.another')}
          </Button>
        )}
      </div>
    </>
  );
}
