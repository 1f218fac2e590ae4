import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { RefObject } from "react";
import styles from "../../ui/Menu.module.css";

export interface Choice {
  value: string;
  name: string;
}

interface Props {
  label: string;
  anchor: RefObject<HTMLButtonElement | null>;
  current: string | undefined;
  choices: Choice[];
  onChoose: (value: string) => void;
  onClose: () => void;
}

/** A menu below its button, one of whose entries is where the reader is. */
export function Choices({ label, anchor, current, choices, onChoose, onClose }: Props) {
  return (
    <Menu.Root open onOpenChange={(open) => !open && onClose()}>
      {/* Beside its button, so that it belongs to a landmark, as all of the page does. */}
      <Menu.Portal container={anchor.current?.parentElement}>
        <Menu.Positioner anchor={anchor} align="start" sideOffset={4} className={styles.positioner}>
          <Menu.Popup className={styles.popup} aria-label={label} finalFocus={anchor}>
            <Menu.RadioGroup value={current} onValueChange={(value: string) => onChoose(value)}>
              {choices.map(({ value, name }) => (
                <Menu.RadioItem key={value} value={value} className={styles.entry} onClick={() => onChoose(value)}>
                  <Menu.RadioItemIndicator keepMounted className={styles.mark}>
                    {value === current && <Check aria-hidden />}
                  </Menu.RadioItemIndicator>
                  {name}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
