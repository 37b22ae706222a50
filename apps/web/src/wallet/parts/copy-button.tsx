import { CheckIcon, CopyIcon } from '@fairtick/ui';
import { copyText } from '@fairtick/ui/copy-text';
import { useEffect, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { useToast } from '../../state/toast.ts';
import css from './parts.module.css';

const SAID_MS = 2_000;

/** Copies a text and confirms it on the button. `what` distinguishes such buttons for screen readers. */
export function CopyButton({ text, what, isBare }: { text: string; what: string; isBare?: boolean }) {
  const { t } = useText();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await copyText(text);
      setCopied(true);
      useToast.getState().show(t('wallet.copied'));
    } catch {
      useToast.getState().show(t('wallet.notCopied'), { isFault: true });
    }
  };
  return (
    <button
      type="button"
      className={css.copy}
      data-bare={isBare || undefined}
      aria-label={t('wallet.copyWhat', { what })}
      onClick={copy}
    >
      {isCopied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
      {!isBare && t('wallet.copy')}
    </button>
  );
}
