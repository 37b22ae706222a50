import { Button, Notice } from '@fairtick/ui';
import type { MessageId } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';

/** Sends a form that moves money. Without an answer it says so, and the same content is sent again. */
export function SendButton(props: {
  form: { readonly isBusy: boolean; readonly isUnanswered: boolean };
  word: MessageId;
  /** What the customer can do after a lost answer. */
  unknown?: MessageId;
}) {
  const { t } = useText();
  const { isBusy, isUnanswered } = props.form;
  return (
    <>
      {isUnanswered && (
        <div className="mb-12">
          <Notice look="bad">{`${t('shell.networkError')} · ${t(props.unknown ?? 'wallet.unknown')}`}</Notice>
        </div>
      )}
      <Button type="submit" look="gold" isBlock disabled={isBusy}>
        {t(isBusy ? 'wallet.sending' : isUnanswered ? 'wallet.sendAgain' : props.word)}
      </Button>
    </>
  );
}
