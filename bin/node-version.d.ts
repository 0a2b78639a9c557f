export declare const oldest: string;
export declare function tooOld(version: string): boolean;
export declare function refusal(version: string, args: readonly string[]): string;
