import { CameraIcon, FaultIcon } from '@fairtick/ui';
import { type ChangeEvent, useEffect, useId, useRef, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './picture-field.module.css';
import { pictureFault } from './real-name-model.ts';

/** A photograph: taken or chosen, looked at, taken again or removed, before it is sent. */
export function PictureField(props: {
  label: string;
  hint: string;
  picture: Blob | null;
  fault: string | null;
  isDisabled: boolean;
  onChange: (picture: Blob | null) => void;
}) {
  const { t } = useText();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<'picture.kind' | 'picture.size' | 'picture.unreadable' | null>(null);
  const url = useObjectUrl(props.picture);
  const fault = refused ? t(refused) : props.fault;
  const take = (event: ChangeEvent<HTMLInputElement>) => {
    const picture = event.target.files?.[0];
    // The same file may be chosen again after it was removed.
    event.target.value = '';
    if (!picture) return;
    const why = pictureFault(picture);
    setRefused(why);
    if (why === null) props.onChange(picture);
  };
  return (
    <div className={css.field}>
      <label className={css.frame} data-fault={fault ? '' : undefined} data-filled={url ? '' : undefined}>
        <span className={css.name}>{props.label}</span>
        <input
          ref={input}
          id={id}
          type="file"
          className="sr"
          accept="image/jpeg,image/png,image/webp"
          aria-label={props.label}
          aria-invalid={fault ? true : undefined}
          aria-describedby={`${id}-note`}
          disabled={props.isDisabled}
          onChange={take}
        />
        {url ? (
          <img
            src={url}
            alt={t('picture.preview', { name: props.label })}
            onError={() => {
              setRefused('picture.unreadable');
              props.onChange(null);
            }}
          />
        ) : (
          <span className={css.empty}>
            <CameraIcon size={28} />
            {t('picture.add')}
          </span>
        )}
      </label>
      {url && (
        <div className={css.actions}>
          <button type="button" disabled={props.isDisabled} onClick={() => input.current?.click()}>
            {t('picture.again')}
            <span className="sr"> {props.label}</span>
          </button>
          <button
            type="button"
            disabled={props.isDisabled}
            onClick={() => {
              setRefused(null);
              props.onChange(null);
              input.current?.focus();
            }}
          >
            {t('picture.remove')}
            <span className="sr"> {props.label}</span>
          </button>
        </div>
      )}
      {fault ? (
        <p id={`${id}-note`} className={css.fault} role="alert">
          <FaultIcon size={16} />
          {fault}
        </p>
      ) : (
        <p id={`${id}-note`} className={css.hint}>
          {props.hint}
        </p>
      )}
    </div>
  );
}

/** An object URL for a picture in memory; revoked on unmount. */
function useObjectUrl(picture: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!picture) return setUrl(null);
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return url;
}
