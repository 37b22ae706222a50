import { CameraIcon, FaultNote } from '@fairtick/ui';
import { usePicture } from '@fairtick/ui/picture';
import { useId, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useObjectUrl } from '../parts/object-url.ts';
import css from './picture-field.module.css';

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
  const taken = usePicture(props.onChange);
  const { url, hide } = useObjectUrl(props.picture);
  const fault = taken.fault ? t(`picture.${taken.fault}`) : props.fault;
  const again = { word: 'picture.again', act: () => input.current?.click() } as const;
  const remove = {
    word: 'picture.remove',
    act: () => {
      taken.forget();
      props.onChange(null);
      input.current?.focus();
    },
  } as const;
  return (
    <div className="min-0">
      <label className={css.frame} data-fault={fault ? '' : undefined} data-filled={url ? '' : undefined}>
        <span className="secondary block mb-8">{props.label}</span>
        <input
          ref={input}
          id={id}
          className="sr"
          {...taken.input}
          aria-label={props.label}
          aria-invalid={fault ? true : undefined}
          aria-describedby={`${id}-note`}
          disabled={props.isDisabled}
        />
        {url ? (
          <img src={url} alt={t('picture.preview', { name: props.label })} onError={hide} />
        ) : (
          <span className={`secondary ${css.empty}`}>
            <CameraIcon size={28} />
            {t(taken.isPreparing ? 'picture.preparing' : props.picture ? 'picture.noPreview' : 'picture.add')}
          </span>
        )}
      </label>
      {props.picture && (
        <div className={`flex between ${css.actions}`}>
          {[again, remove].map(({ word, act }) => (
            <button key={word} type="button" className="link" disabled={props.isDisabled} onClick={act}>
              {t(word)}
              <span className="sr"> {props.label}</span>
            </button>
          ))}
        </div>
      )}
      {fault ? (
        <FaultNote id={`${id}-note`}>{fault}</FaultNote>
      ) : (
        <p id={`${id}-note`} className="caption mt-8">
          {props.hint}
        </p>
      )}
    </div>
  );
}
