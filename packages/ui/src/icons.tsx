import type { SVGProps } from 'react';

export type IconProps = SVGProps<SVGSVGElement> & { readonly size?: number };

/** A line icon on a 24 px grid, drawn with the text colour. It has no meaning of its own: a label stands beside it. */
function Icon({ size = 24, ...rest }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...rest}
    />
  );
}

/** The five icons of the tab bar, by their product names. `data-fill` parts are tinted when active. */
export const RefundIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle data-fill cx="12" cy="12" r="8.5" stroke="none" />
    <path d="M4.2 8.8A8.5 8.5 0 1 1 3.5 12" />
    <path d="M3.7 4.5v4.4h4.4M9.3 8.7l2.7 3.5 2.7-3.5M12 12.2v4.5M9.7 14h4.6" />
  </Icon>
);
export const BalancePayIcon = (props: IconProps) => (
  <Icon {...props}>
    <path data-fill d="M3.5 8.6h17v8.9a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z" stroke="none" />
    <path d="M17.5 8.6V6.1a1.8 1.8 0 0 0-2.2-1.8L5 6.7a2 2 0 0 0-1.5 1.9v8.9a2 2 0 0 0 2 2h13a2 2 0 0 0 2-2v-6.9a2 2 0 0 0-2-2z" />
    <path d="M20.5 12h-3.6a2 2 0 0 0 0 4h3.6" />
  </Icon>
);
export const ChatIcon = (props: IconProps) => (
  <Icon {...props}>
    <path
      data-fill
      d="M12 4.6c-4.7 0-8.5 3.1-8.5 7 0 2.2 1.2 4.1 3.1 5.4l-.6 3 3.3-1.7c.9.2 1.8.3 2.7.3 4.7 0 8.5-3.1 8.5-7s-3.8-7-8.5-7z"
    />
    <path d="M8.3 11.6h.01M12 11.6h.01M15.7 11.6h.01" strokeWidth={2} />
  </Icon>
);
export const FireIcon = (props: IconProps) => (
  <Icon {...props}>
    <path
      data-fill
      d="M8.6 14.4A2.4 2.4 0 0 0 11 12c0-1.4-.5-2-1-3-1-2.1-.2-4 2-5.9.5 2.4 2 4.8 4 6.4s3 3.5 3 5.4a7 7 0 1 1-14 0c0-1.1.4-2.2 1-2.9a2.5 2.5 0 0 0 2.6 2.4z"
    />
  </Icon>
);
export const ManagerIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle data-fill cx="12" cy="8" r="4" />
    <path data-fill d="M4.5 20c.4-3.8 3.6-6.2 7.5-6.2s7.1 2.4 7.5 6.2z" />
  </Icon>
);

export const StarIcon = (props: IconProps) => (
  <Icon {...props}>
    <path data-fill d="m12 4 2.5 5.1 5.6.8-4 4 .9 5.6-5-2.7-5 2.7.9-5.6-4-4 5.6-.8z" />
  </Icon>
);

/** The sign of each asset, inside a circle. */
const ASSET_SIGNS: Readonly<Record<string, string>> = {
  USDT: 'M8 8.2h8M12 8.2v8.3M8.6 11.2c0 1.2 6.8 1.2 6.8 0',
  BTC: 'M9.8 7.9v8.2M9.8 7.9h3a2 2 0 0 1 0 4h-3M9.8 11.9h3.4a2.1 2.1 0 0 1 0 4.2H9.8M11.4 6.4v1.5M11.4 16.1v1.5',
  ETH: 'M12 6.2l3.4 5.6-3.4 2-3.4-2zM8.8 13.8 12 17.8l3.2-4',
  USD: 'M14.7 9.4c-.5-1-1.4-1.5-2.7-1.5-1.6 0-2.7.8-2.7 2 0 2.8 5.6 1.3 5.6 4.1 0 1.3-1.2 2.1-2.9 2.1-1.4 0-2.4-.5-2.9-1.5M12 6.3v11.4',
  DEMO: 'M10 8h1.6a4 4 0 0 1 0 8H10z',
};

/** The icon of an asset; an asset without a sign of its own has the plain circle. */
export const AssetIcon = ({ asset, ...props }: IconProps & { readonly asset: string }) => (
  <Icon data-asset-icon={asset} {...props}>
    <path d={`M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0z${ASSET_SIGNS[asset] ?? ''}`} />
  </Icon>
);

// The bundler keeps only the icons that an app uses.
/* @__NO_SIDE_EFFECTS__ */
const icon =
  (d: string, base: IconProps = {}) =>
  (props: IconProps) => (
    <Icon {...base} {...props}>
      <path d={d} />
    </Icon>
  );

export const AddIcon = icon('M12 5v14M5 12h14');
export const BackIcon = icon('M14.5 5.5 8 12l6.5 6.5');
export const BellIcon = icon('M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4M12 3.5V5');
export const CalendarIcon = icon(
  'M6.5 5.5h11a2.5 2.5 0 0 1 2.5 2.5v9.5a2.5 2.5 0 0 1-2.5 2.5h-11a2.5 2.5 0 0 1-2.5-2.5v-9.5a2.5 2.5 0 0 1 2.5-2.5zM4 10h16M8.5 3.5v4M15.5 3.5v4',
);
export const CameraIcon = icon(
  'M4.5 8h3l1.8-2.5h5.4L16.5 8h3a1.5 1.5 0 0 1 1.5 1.5v8.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18V9.5A1.5 1.5 0 0 1 4.5 8zM8.5 13.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z',
);
export const CardIcon = icon(
  'M5.7 5.5h12.6a2.2 2.2 0 0 1 2.2 2.2v8.6a2.2 2.2 0 0 1-2.2 2.2h-12.6a2.2 2.2 0 0 1-2.2-2.2v-8.6a2.2 2.2 0 0 1 2.2-2.2zM3.5 10h17M7 15h3',
);
export const CatalogueIcon = icon('M4 18.5 9 12l4 3.5 7-9M15.5 6.5H20V11M4 21h16');
export const ChannelIcon = icon(
  'M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0zM7 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0z',
);
export const ChartIcon = icon('M4.5 4.5v15h15M8.5 16v-4M12.5 16V8.5M16.5 16v-6');
export const ChatsIcon = icon(
  'M4 6.5a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-4.5 3.5v-3.5H6a2 2 0 0 1-2-2zM8 8.8h8M8 12h5',
);
export const CheckIcon = icon('M5.5 12.5l4.3 4.3 8.7-9.3');
export const ClockIcon = icon('M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0zM12 7.2V12l3.2 2');
export const CloseFullIcon = icon('M9 4.5V9H4.5M19.5 9H15V4.5M15 19.5V15h4.5M4.5 15H9v4.5');
export const CloseIcon = icon('M6 6l12 12M18 6 6 18');
export const CopyIcon = icon(
  'M10.5 8.5h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM15.5 8.5v-2a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h2',
);
export const CorrectionIcon = icon('M4 20h4.5L19 9.5a2.1 2.1 0 0 0-3-3L5.5 17zM14.5 8l3 3M13 20h7');
export const DashboardIcon = icon('M4 20V10M10 20V4M16 20v-7M21 20H3');
export const DepositIcon = icon('M12 4v11M7 10.5l5 5 5-5M5 20h14');
export const DownIcon = icon('M6.5 9.5l5.5 5.5 5.5-5.5');
export const EarningsIcon = icon(
  'M5 7.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0zM14 16.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0zM18.5 5.5l-13 13',
);
export const EyeIcon = icon(
  'M2.8 12S6 5.8 12 5.8 21.2 12 21.2 12 18 18.2 12 18.2 2.8 12 2.8 12zM9.2 12a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0z',
);
export const EyeOffIcon = icon(
  'M9.6 6.1A9 9 0 0 1 12 5.8c6 0 9.2 6.2 9.2 6.2a16 16 0 0 1-2.6 3.4M6.3 7.5A15.5 15.5 0 0 0 2.8 12S6 18.2 12 18.2a9 9 0 0 0 4.3-1.1M10 10a2.8 2.8 0 0 0 4 4M4 4l16 16',
);
export const FaultIcon = icon('M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0zM12 7.5v5.2M12 16.2h.01');
export const FileIcon = icon('M7 3.5h7l5 5V18.5a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-13a2 2 0 0 1 2-2zM14 3.5v5h5');
export const ForwardIcon = icon('M9.5 6.5l5.5 5.5-5.5 5.5');
export const FullIcon = icon('M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15');
export const GlobeIcon = icon(
  'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0zM3.5 12h17M12 3.5c2.4 2.3 3.6 5.2 3.6 8.5s-1.2 6.2-3.6 8.5c-2.4-2.3-3.6-5.2-3.6-8.5s1.2-6.2 3.6-8.5z',
);
export const HeadsetIcon = icon(
  'M5 14.5v-2.7a7 7 0 0 1 14 0v2.7M5.6 13h.4a1.6 1.6 0 0 1 1.6 1.6v2.4a1.6 1.6 0 0 1-1.6 1.6h-.4a1.6 1.6 0 0 1-1.6-1.6v-2.4a1.6 1.6 0 0 1 1.6-1.6zM18 13h.4a1.6 1.6 0 0 1 1.6 1.6v2.4a1.6 1.6 0 0 1-1.6 1.6h-.4a1.6 1.6 0 0 1-1.6-1.6v-2.4a1.6 1.6 0 0 1 1.6-1.6zM18.2 18.6c0 1.4-1.6 2.2-3.9 2.2',
);
export const HelpIcon = icon(
  'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0zM9.6 9.6a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .8-1 1.5v.4M12 16.6h.01',
);
export const HourglassIcon = icon(
  'M7 3.5h10M7 20.5h10M8 3.5c0 4.5 4 5.5 4 8.5s-4 4-4 8.5M16 3.5c0 4.5-4 5.5-4 8.5s4 4 4 8.5',
);
export const IdentityIcon = icon(
  'M5.7 5h12.6a2.2 2.2 0 0 1 2.2 2.2v9.6a2.2 2.2 0 0 1-2.2 2.2h-12.6a2.2 2.2 0 0 1-2.2-2.2v-9.6a2.2 2.2 0 0 1 2.2-2.2zM7 11a2 2 0 1 0 4 0a2 2 0 1 0-4 0zM5.8 16c.5-1.6 1.7-2.3 3.2-2.3s2.7.7 3.2 2.3M14.5 10h3M14.5 13.5h3',
);
export const InboxIcon = icon(
  'M4 13.5h4.2l1.6 2.7h4.4l1.6-2.7H20M6.4 5h11.2L20.5 13v4.5a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2V13z',
);
export const KeyIcon = icon('M4 15.5a4 4 0 1 0 8 0a4 4 0 1 0-8 0zM11 12.5l8-8M15.5 8l3 3M13 10.5l2 2');
export const KeyboardIcon = icon(
  'M5 6.5h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-14a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM6.5 10h.01M10 10h.01M13.5 10h.01M17 10h.01M8 14h8',
);
export const LeaveIcon = icon('M14 4.5H7a2 2 0 0 0-2 2v11a2 2 0 0 0 2 2h7M11 12h9M16.5 8.5 20 12l-3.5 3.5');
export const LedgerIcon = icon('M12 4v16M7 20h10M4 8h16M6.5 8 4 14h5zM17.5 8 15 14h5z');
export const ListIcon = icon('M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01');
export const LockIcon = icon(
  'M7 10.5h10a2 2 0 0 1 2 2v5.5a2 2 0 0 1-2 2h-10a2 2 0 0 1-2-2v-5.5a2 2 0 0 1 2-2zM8 10.5V8a4 4 0 0 1 8 0v2.5M12 14.5v2',
);
export const LookIcon = icon(
  'M6.4 8a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0zM3.5 19.5c.3-3.5 3-5.7 6.5-5.7M13.2 16a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0zM18.2 18.2l2.3 2.3',
);
export const MoonIcon = icon('M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z');
export const NewsIcon = icon(
  'M4 5.5h12v11a2 2 0 0 0 2 2H6a2 2 0 0 1-2-2zM16 9.5h4v7a2 2 0 0 1-4 0M7.5 9h5M7.5 12h5M7.5 15h3',
);
export const PauseIcon = icon('M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0zM9.8 8.8v6.4M14.2 8.8v6.4');
export const PeopleIcon = icon(
  'M5.5 8.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0zM2.8 19.5c.3-3.4 3-5.5 6.2-5.5s5.9 2.1 6.2 5.5M15.5 5.4a3.5 3.5 0 0 1 0 6.2M17.8 14.6c2 .8 3.2 2.5 3.4 4.9',
);
export const PersonIcon = icon(
  'M8 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0zM4.5 20c.4-3.8 3.6-6.2 7.5-6.2s7.1 2.4 7.5 6.2',
);
export const PictureIcon = icon(
  'M5.7 5h12.6a2.2 2.2 0 0 1 2.2 2.2v9.6a2.2 2.2 0 0 1-2.2 2.2h-12.6a2.2 2.2 0 0 1-2.2-2.2v-9.6a2.2 2.2 0 0 1 2.2-2.2zM7.4 10a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0zM4 17l5-4.5 3.2 2.8 3.3-3.3 4.8 4.5',
);
export const ReadIcon = icon('M2.5 12.8l3.8 3.8 7.6-8.8M11.5 15.6l1 1 8.3-8.8');
export const ResetIcon = icon('M4.5 12a7.5 7.5 0 1 0 2.3-5.4L4.5 9M4.5 4.5V9H9');
export const RotateIcon = icon('M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 4v4.2h-4.2');
export const SearchIcon = icon('M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0zM16 16l4 4');
export const SendIcon = icon('M12 18.5v-13M6.5 11 12 5.5l5.5 5.5', { strokeWidth: 2 });
export const ShieldCheckIcon = icon(
  'M12 3.5 5 6v5.5c0 4.4 2.8 7.4 7 9 4.2-1.6 7-4.6 7-9V6zM9 12l2.2 2.2L15.2 10',
);
export const ShieldIcon = icon('M12 3.5 5 6v5.5c0 4.3 2.9 7.5 7 9 4.1-1.5 7-4.7 7-9V6z');
export const SourcesIcon = icon(
  'M12 12h.01M8.5 8.5a5 5 0 0 0 0 7M15.5 8.5a5 5 0 0 1 0 7M5.6 5.6a9 9 0 0 0 0 12.8M18.4 5.6a9 9 0 0 1 0 12.8',
);
export const StatementIcon = icon(
  'M6 5h12a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-12a2 2 0 0 1-2-2v-10a2 2 0 0 1 2-2zM8 9.5h8M8 13h8M8 16h4',
);
export const SunIcon = icon(
  'M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4',
);
export const ToolsIcon = icon('M4 17.5l5-6 4 3 6.5-8M4 21h16');
export const TransferIcon = icon('M7 4.5v14M7 4.5 4 7.5M7 4.5l3 3M17 19.5v-14M17 19.5l-3-3M17 19.5l3-3');
export const TrashIcon = icon('M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 10.5v5.5M14 10.5v5.5');
export const UploadIcon = icon(
  'M4.5 16.5v2a1.5 1.5 0 0 0 1.5 1.5h12a1.5 1.5 0 0 0 1.5-1.5v-2M12 15.5v-11M7.5 8.5 12 4l4.5 4.5',
);
export const WithdrawalIcon = icon('M12 16V5M7 9.5l5-5 5 5M5 20h14');
export const ZoomInIcon = icon('M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0zM16 16l4 4M11 8.5v5M8.5 11h5');
export const ZoomOutIcon = icon('M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0zM16 16l4 4M8.5 11h5');

/** The empty octagon: brand and app icon. */
export function BrandMark({ size = 24 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2.2}
      aria-hidden="true"
    >
      <path d="M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2z" />
    </svg>
  );
}

/**
 * The stamp. The tick states that this device has checked a receipt or the log, so no other code may show it; before that the
 * octagon is empty.
 */
export function Stamp({ size = 18, isChecked }: { size?: number; isChecked: boolean }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke={isChecked ? 'var(--gold-mark)' : 'var(--ink-3)'}
      strokeWidth={1.5}
      aria-hidden="true"
    >
      <path d="M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2z" />
      {isChecked && <path d="m7.4 12.3 3.2 3.2 6-6.8" strokeLinecap="square" />}
    </svg>
  );
}
