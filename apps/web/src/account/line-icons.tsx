import { Icon, type IconProps } from '@fairtick/ui';

/** Icons of the account's screens, separate from the others to keep them out of the first load. */
export const TransferIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M7 4.5v14M7 4.5 4 7.5M7 4.5l3 3M17 19.5v-14M17 19.5l-3-3M17 19.5l3-3" />
  </Icon>
);
export const CoinIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M8 8.2h8M12 8.2v8.3M8.6 11.2c0 1.2 6.8 1.2 6.8 0" />
  </Icon>
);
export const ClockIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.2V12l3.2 2" />
  </Icon>
);
export const BellIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4M12 3.5V5" />
  </Icon>
);
export const IdIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="3.5" y="5" width="17" height="14" rx="2.2" />
    <circle cx="9" cy="11" r="2" />
    <path d="M5.8 16c.5-1.6 1.7-2.3 3.2-2.3s2.7.7 3.2 2.3M14.5 10h3M14.5 13.5h3" />
  </Icon>
);
export const CardIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="3.5" y="5.5" width="17" height="13" rx="2.2" />
    <path d="M3.5 10h17M7 15h3" />
  </Icon>
);
export const LookIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="10" cy="8" r="3.6" />
    <path d="M3.5 19.5c.3-3.5 3-5.7 6.5-5.7" />
    <circle cx="16" cy="16" r="2.8" />
    <path d="m18.2 18.2 2.3 2.3" />
  </Icon>
);
export const KeyIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="8" cy="15.5" r="4" />
    <path d="m11 12.5 8-8M15.5 8l3 3M13 10.5l2 2" />
  </Icon>
);
export const PersonIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.5 20c.4-3.8 3.6-6.2 7.5-6.2s7.1 2.4 7.5 6.2" />
  </Icon>
);
export const CameraIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4.5 8h3l1.8-2.5h5.4L16.5 8h3a1.5 1.5 0 0 1 1.5 1.5v8.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18V9.5A1.5 1.5 0 0 1 4.5 8z" />
    <circle cx="12" cy="13.5" r="3.5" />
  </Icon>
);
export const TrashIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.8 12.5h9.4L17.5 7M10 10.5v5.5M14 10.5v5.5" />
  </Icon>
);
export const AddIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 5v14M5 12h14" />
  </Icon>
);
export const ChainIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1" />
  </Icon>
);
export const SwapColoursIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M8 6.5 4.5 13h7zM16 17.5l-3.5-6.5h7z" />
  </Icon>
);
export const PauseIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M9.8 8.8v6.4M14.2 8.8v6.4" />
  </Icon>
);
export const TargetIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3.5 8.5h17M4.5 18l4.5-5 3.5 3 4.5-7.5M14 8.5h3v3" />
  </Icon>
);
export const ChartIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4.5 4.5v15h15M8.5 16v-4M12.5 16V8.5M16.5 16v-6" />
  </Icon>
);
export const ShieldIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 3.5 5 6v5.5c0 4.4 2.8 7.4 7 9 4.2-1.6 7-4.6 7-9V6z" />
    <path d="m9 12 2.2 2.2L15.2 10" />
  </Icon>
);
export const DevicesIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="3.5" y="5" width="12.5" height="10" rx="1.8" />
    <path d="M8 19h4M10 15v4" />
    <rect x="16.5" y="9" width="5" height="10.5" rx="1.4" />
  </Icon>
);
