import { CopyButton, Grouped } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';

/** Copies a text. With `word`, the button says so instead of the text. */
export function Copy({ text, word }: { text: string; word?: string }) {
  const { t } = useText();
  const tell = (isCopied: boolean) => useToast.getState().show(t(isCopied ? 'copy.done' : 'copy.failed'));
  return <CopyButton text={text} label={word ?? t('copy.what', { what: text })} word={word} onDone={tell} />;
}

/** An address, a number or a key, with a button that copies it. */
export function CodeText({ text }: { text: string }) {
  return (
    <>
      <Grouped text={text} />
      <Copy text={text} />
    </>
  );
}
