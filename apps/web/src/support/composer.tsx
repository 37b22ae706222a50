import { CloseIcon, IconButton, PictureIcon, SendIcon } from '@fairtick/ui';
import { enterSends, isSendingEnter } from '@fairtick/ui/enter-sends';
import type { usePicture } from '@fairtick/ui/picture';
import { type FormEvent, type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useLength } from '../parts/form-parts.tsx';
import { useObjectUrl } from '../parts/object-url.ts';
import { useToast } from '../state/toast.ts';
import css from './chat.module.css';
import { keepDraft, readDraft, say, tellTyping } from './chat-store.ts';

const MOST_LETTERS = 2_000;

/** Says how high the form is, as `--composer` on the root element, while it is shown: toasts stand above it. */
function tellHeight(form: HTMLElement | null) {
  if (!form) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty('--composer', `${form.offsetHeight}px`));
  observer.observe(form);
  return () => {
    observer.disconnect();
    style.removeProperty('--composer');
  };
}

interface ComposerProps {
  readonly image: File | null;
  readonly picture: ReturnType<typeof usePicture>;
  readonly onImage: (image: File | null) => void;
}

function useMessage({ image, picture, onImage }: ComposerProps) {
  const { t } = useText();
  const [text, setShown] = useState(readDraft);
  const setText = (next: string) => {
    setShown(next);
    keepDraft(next);
  };
  const words = text.trim();
  const length = useLength(text, MOST_LETTERS);
  const isReady = (words !== '' || image !== null) && length.fault === null && !picture.isPreparing;
  const send = () => {
    if (!isReady) return;
    if (!say(words === '' ? null : words, image)) {
      useToast.getState().show(t('support.full'), { isFault: true });
      return;
    }
    setText('');
    onImage(null);
  };
  return { text, setText, length, isReady, send };
}

export function Composer(props: ComposerProps) {
  const { image, picture, onImage } = props;
  const { t } = useText();
  const id = useId();
  const { text, setText, length, isReady, send } = useMessage(props);
  useEffect(() => {
    if (picture.fault) useToast.getState().show(t(`picture.${picture.fault}`), { isFault: true });
  }, [picture.fault, t]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSendingEnter(event)) return;
    event.preventDefault();
    send();
  };
  return (
    <form ref={tellHeight} className={`rigid line-above ${css.composer}`} onSubmit={onSubmit}>
      {picture.isPreparing && (
        <p className={`secondary row gap-10 ${css.chosen}`} role="status">
          {t('picture.preparing')}
        </p>
      )}
      {image && <Chosen image={image} onRemove={() => onImage(null)} />}
      {length.count !== null && (
        <p className={`secondary row gap-10 ${css.chosen}`} role="status">
          {[length.count, length.fault].filter((part) => part !== null).join(' · ')}
        </p>
      )}
      <div className="flex items-end gap-4">
        <label className={css.pick} htmlFor={`${id}-image`}>
          <PictureIcon size={22} />
          <span className="sr">{t('support.addPicture')}</span>
          <input id={`${id}-image`} className="cover" {...picture.input} />
        </label>
        <label className="sr" htmlFor={id}>
          {t('support.message')}
        </label>
        <textarea
          id={id}
          className={`fill py-10 px-14 ink touch ${css.text}`}
          rows={1}
          value={text}
          aria-invalid={length.fault !== null || undefined}
          placeholder={t('support.message')}
          enterKeyHint={enterSends() ? 'send' : 'enter'}
          onChange={(event) => {
            setText(event.target.value);
            if (event.target.value !== '') tellTyping();
          }}
          onKeyDown={onKeyDown}
        />
        <button type="submit" className={css.send} aria-label={t('support.send')} aria-disabled={!isReady}>
          <SendIcon size={22} />
        </button>
      </div>
    </form>
  );
}

function Chosen({ image, onRemove }: { image: File; onRemove: () => void }) {
  const { t } = useText();
  const { url, hide } = useObjectUrl(image);
  return (
    <div className={`secondary row gap-10 ${css.chosen}`}>
      {url && <img src={url} alt={t('support.chosen')} onError={hide} />}
      <span className="ellipsis grow">{image.name}</span>
      <IconButton label={t('support.removePicture')} onClick={onRemove}>
        <CloseIcon size={18} />
      </IconButton>
    </div>
  );
}
