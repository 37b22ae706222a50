import { CopyButton, Grouped } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';

/** Copies a text. `what` distinguishes such buttons for screen readers. */
export function Copy({ text, what, isBare = false }: { text: string; what: string; isBare?: boolean }) {
  const { t } = useText();
  const tell = (isCopied: boolean) =>
    useToast.getState().show(t(isCopied ? 'copy.done' : 'copy.failed'), { isFault: !isCopied });
  return (
    <CopyButton
      text={text}
      label={t('copy.what', { what })}
      word={isBare ? undefined : t('copy.word')}
      onDone={tell}
    />
  );
}

export function CodeText({ text, what }: { text: string; what: string }) {
  return (
    <>
      <Grouped text={text} />
      <Copy text={text} what={what} isBare />
    </>
  );
}
