import { Button, CopyIcon, FaultIcon } from '@fairtick/ui';
import { copyText } from '@fairtick/ui/copy-text';
import { saveFile } from '@fairtick/ui/save-file';
import { useEffect, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';
import css from './account.module.css';

export function RecoveryCodes(props: { codes: readonly string[]; account: string; onDone: () => void }) {
  const { codes, account, onDone } = props;
  const { t } = useText();
  const title = useRef<HTMLHeadingElement>(null);
  // The sent form is gone: focusing the title tells screen-reader users that there are codes to keep.
  useEffect(() => title.current?.focus(), []);
  const copy = async () => {
    try {
      await copyText(codes.join('\n'));
      useToast.getState().show(t('account.codesCopied'));
    } catch {
      useToast.getState().show(t('account.codesNotCopied'), { isFault: true });
    }
  };
  const save = () => {
    const text = `Fairtick ${account}\n\n${codes.join('\n')}\n`;
    saveFile(new File([text], `fairtick-${account}-recovery.txt`, { type: 'text/plain' }));
  };
  return (
    <div className="page">
      <h2 ref={title} tabIndex={-1} className={css.title}>
        {t('account.codesTitle')}
      </h2>
      <p className={`secondary ${css.lead}`}>{t('account.codesLead')}</p>
      <ol className={`card ${css.codes}`} translate="no">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <p className={`row gap-10 py-10 px-14 ${css.once}`}>
        <FaultIcon size={18} />
        {t('account.codesOnce')}
      </p>
      <div className="stack gap-10 mt-16">
        <Button isBlock onClick={copy}>
          <CopyIcon size={20} />
          {t('account.codesCopy')}
        </Button>
        <Button isBlock onClick={save}>
          {t('account.codesSave')}
        </Button>
        <Button look="gold" isBlock onClick={onDone}>
          {t('account.codesDone')}
        </Button>
      </div>
    </div>
  );
}
