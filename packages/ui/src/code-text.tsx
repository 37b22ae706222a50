import { useEffect, useState } from 'react';
import css from './code-text.module.css';
import { copyText } from './copy-text.ts';
import { CheckIcon, CopyIcon } from './icons.tsx';

/**
 * An address, a number or a hash in groups of four, which are easier to compare. Margins set them apart: what is selected and copied
 * has no gaps. Read aloud in one piece; a browser's translation would change it.
 */
export function Grouped({ text }: { text: string }) {
  return (
    <span className={css.grouped} translate="no">
      <span className="sr">{text}</span>
      {(text.match(/^DEMO-|.{1,4}/gu) ?? []).flatMap((group, at) => [
        <span key={`${at}`} aria-hidden="true">
          {group}
        </span>,
        // A line may end here, without a space that would be copied.
        <wbr key={`${at}.`} />,
      ])}
    </span>
  );
}

const SAID_MS = 2_000;

/** Copies a text and confirms it on the button. */
export function CopyButton(props: {
  text: string;
  /** Distinguishes such buttons for screen readers. */
  label: string;
  /** Beside the icon. */
  word?: string | undefined;
  onDone: (isCopied: boolean) => void;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const done = (is: boolean) => {
    setCopied(is);
    props.onDone(is);
  };
  return (
    <button
      type="button"
      className={`inline-row gap-6 ink reach ${css.copy}`}
      data-bare={props.word === undefined || undefined}
      aria-label={props.label}
      onClick={() =>
        copyText(props.text).then(
          () => done(true),
          () => done(false),
        )
      }
    >
      {isCopied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
      {props.word}
    </button>
  );
}
