/** A place's weather, as the tools tell it. */
export interface Weather {
  city: string;
  temp_c: number;
  summary: string;
}

export const fahrenheit = (celsius: number) => Math.round((celsius * 9) / 5 + 32);
