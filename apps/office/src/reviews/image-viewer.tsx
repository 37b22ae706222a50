import { CloseFullIcon, FullIcon, ResetIcon, RotateIcon, ZoomInIcon, ZoomOutIcon } from '@fairtick/ui';
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { getFile } from '../api/client.ts';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { FormFault } from '../shell/form.tsx';
import { usePageKeys } from '../shell/page-keys.ts';
import { formatTime } from '../state/format.ts';
import css from './viewer.module.css';
import {
  fitOf,
  isLong,
  keyed,
  type Look,
  moved,
  opened,
  reading,
  turned,
  WHOLE,
  whole,
  zoomed,
} from './viewer-model.ts';

/** These keys work wherever the focus is, so that readers need not focus the picture first. */
const VIEWER_KEYS = [
  { key: '+', also: '=', title: 'keys.zoomIn' },
  { key: '-', title: 'keys.zoomOut' },
  { key: 'r', also: 'R', title: 'keys.turn' },
  { key: '0', title: 'keys.whole' },
] as const;

/** The picture's distance from the frame's edges, px, as in viewer.module.css. */
const INSET = 12;

type FilePath = Parameters<typeof getFile>[0];

/** Fetches the picture once, because the customer sees each fetch as a look. */
function usePicture(path: FilePath, query: string, onSeen: (() => void) | undefined) {
  const text = useText();
  const latest = useRef({ text, onSeen });
  latest.current = { text, onSeen };
  const [url, setUrl] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [seenAt, setSeenAt] = useState<number | null>(null);
  useEffect(() => {
    let own: string | null = null;
    // Deferred, because StrictMode mounts effects twice and a second fetch would be a second look.
    const timer = setTimeout(() => {
      getFile(path, Object.fromEntries(new URLSearchParams(query))).then(
        (blob) => {
          own = URL.createObjectURL(blob);
          setUrl(own);
          setSeenAt(Date.now());
          latest.current.onSeen?.();
        },
        (error: unknown) => setFault(faultText(error, latest.current.text)),
      );
    }, 0);
    return () => {
      clearTimeout(timer);
      if (own !== null) URL.revokeObjectURL(own);
    };
  }, [path, query]);
  return { url, fault, seenAt };
}

interface ViewerProps {
  readonly path: FilePath;
  readonly fields: Record<string, string>;
  readonly label: string;
  readonly isShown?: boolean;
  /** Whether it reacts to the page's keys, as one of several pictures may. */
  readonly hasKeys?: boolean;
  /** Called once the picture is there. */
  readonly onSeen?: () => void;
}

/** How the picture is looked at, and what the keys, the wheel and the pointer do to that. */
function useLook(hasPicture: boolean, { isShown, hasKeys }: { isShown: boolean; hasKeys: boolean }) {
  const [look, setLook] = useState<Look>(WHOLE);
  const frame = useRef<HTMLDivElement>(null);
  const full = useFullScreen(frame);
  const [picture, setPicture] = useState({ width: 0, height: 0 });
  const drag = useRef<{ x: number; y: number } | null>(null);
  useWheel(frame, setLook);
  usePageKeys(
    isShown && hasKeys && hasPicture
      ? [
          ...VIEWER_KEYS.map((key) => ({ ...key, run: () => setLook((now) => keyed(now, key.key) ?? now) })),
          { key: 'f', also: 'F', title: 'keys.full', run: full.toggle },
        ]
      : [],
  );
  // After the frame has grown for a long picture, and once it is visible.
  useLayoutEffect(() => {
    const room = size(frame.current);
    if (!isShown || picture.width === 0 || room.width === 0) return;
    setLook((now) => (now.fills === WHOLE.fills ? opened(room, picture) : now));
  }, [picture, isShown]);
  const handlers = {
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const next = keyed(look, event.key);
      if (next === null) return;
      event.preventDefault();
      event.stopPropagation();
      setLook(next);
    },
    onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
      if (event.target instanceof Element && event.target.closest('button')) return;
      drag.current = { x: event.clientX, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
      const from = drag.current;
      const { width, height } = size(frame.current);
      if (from === null || width === 0 || height === 0) return;
      drag.current = { x: event.clientX, y: event.clientY };
      setLook((now) => moved(now, (event.clientX - from.x) / width, (event.clientY - from.y) / height));
    },
    onPointerUp: () => {
      drag.current = null;
    },
    onDoubleClick: () =>
      setLook(look.zoom > 1 ? whole(look) : look.isLong ? reading(look) : zoomed(look, 2.5)),
  };
  return { look, setLook, frame, full, picture, setPicture, handlers };
}

/** The frame over the whole screen, where the browser can do that. A change renders the picture again, in the size of its frame. */
function useFullScreen(frame: { readonly current: HTMLDivElement | null }) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const follow = () =>
      setFull(document.fullscreenElement !== null && document.fullscreenElement === frame.current);
    document.addEventListener('fullscreenchange', follow);
    return () => document.removeEventListener('fullscreenchange', follow);
  }, [frame]);
  const toggle = () => {
    // A refusal of the browser leaves the picture as it is.
    const done = isFull ? document.exitFullscreen() : frame.current?.requestFullscreen?.();
    done?.catch(() => {});
  };
  return { isFull, toggle };
}

/**
 * A customer's picture that can be zoomed, turned and moved by mouse, wheel or keys. It is shown from memory as an image, so its
 * bytes are never run or rendered as anything else.
 */
export function ImageViewer({ path, fields, label, isShown = true, hasKeys = true, onSeen }: ViewerProps) {
  const { t } = useText();
  const { url, fault, seenAt } = usePicture(path, new URLSearchParams(fields).toString(), onSeen);
  const { look, setLook, frame, full, picture, setPicture, handlers } = useLook(url !== null, {
    isShown,
    hasKeys,
  });
  const scale = look.zoom * fitOf(look, size(frame.current), picture);
  return (
    <figure className="stack gap-8">
      <div
        ref={frame}
        className={`centred ${css.frame}`}
        role="group"
        aria-label={t('viewer.help', { label })}
        data-long={isLong(picture) ? '' : undefined}
        data-zoom={look.zoom.toFixed(2)}
        data-turns={look.turns}
        {...handlers}
      >
        {url !== null && (
          <img
            src={url}
            alt={label}
            draggable={false}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              setPicture({ width, height })
            }
            style={
              {
                '--x': `${look.x * 100}%`,
                '--y': `${look.y * 100}%`,
                '--scale': String(scale),
                '--turn': `${look.turns * 90}deg`,
              } as CSSProperties
            }
          />
        )}
        {url === null && fault === null && <span className="ink-2">{t('shell.loading')}</span>}
        {url !== null && <ViewerTools onLook={setLook} full={full} />}
      </div>
      <FormFault text={fault} />
      {seenAt !== null && (
        <figcaption className="caption">
          {t('viewer.seen', { time: formatTime(seenAt).slice(11, 16) })}
        </figcaption>
      )}
    </figure>
  );
}

/** The part of the frame that a picture fills at most, px. */
const size = (element: HTMLElement | null) => ({
  width: Math.max(0, (element?.clientWidth ?? 0) - 2 * INSET),
  height: Math.max(0, (element?.clientHeight ?? 0) - 2 * INSET),
});

function ViewerTools(props: {
  onLook: (change: (look: Look) => Look) => void;
  full: ReturnType<typeof useFullScreen>;
}) {
  const { onLook, full } = props;
  const { t } = useText();
  const tools = [
    { label: t('viewer.in'), icon: <ZoomInIcon size={18} />, run: (look: Look) => zoomed(look, 1.5) },
    { label: t('viewer.out'), icon: <ZoomOutIcon size={18} />, run: (look: Look) => zoomed(look, 1 / 1.5) },
    { label: t('viewer.turn'), icon: <RotateIcon size={18} />, run: (look: Look) => turned(look, 1) },
    { label: t('viewer.whole'), icon: <ResetIcon size={18} />, run: whole },
  ];
  return (
    <span className={`flex gap-4 ${css.tools}`}>
      {tools.map(({ label, icon, run }) => (
        <button key={label} type="button" aria-label={label} title={label} onClick={() => onLook(run)}>
          {icon}
        </button>
      ))}
      {document.fullscreenEnabled && (
        <button
          type="button"
          aria-label={t(full.isFull ? 'viewer.leaveFull' : 'viewer.full')}
          title={t(full.isFull ? 'viewer.leaveFull' : 'viewer.full')}
          onClick={full.toggle}
        >
          {full.isFull ? <CloseFullIcon size={18} /> : <FullIcon size={18} />}
        </button>
      )}
    </span>
  );
}

/** Zooms with the wheel, or moves along a long picture. Uses a non-passive native listener, because React's listener can't prevent scrolling. */
function useWheel(
  frame: { readonly current: HTMLDivElement | null },
  onLook: (change: (look: Look) => Look) => void,
): void {
  const latest = useRef(onLook);
  latest.current = onLook;
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.matches(':focus-within')) return;
      event.preventDefault();
      const { width, height } = size(element);
      latest.current((look) =>
        look.isLong && !event.ctrlKey
          ? moved(look, -event.deltaX / width, -event.deltaY / height)
          : zoomed(look, Math.exp(-event.deltaY / 300)),
      );
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [frame]);
}
