package io.fanfold;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The switch {@code -Dfanfold.golden.update=true}: tests of golden files write the results of today into their files
 * instead of comparing. Review the difference before you commit it.
 */
public final class GoldenUpdate {
    private GoldenUpdate() {}

    public static boolean requested() {
        return Boolean.getBoolean("fanfold.golden.update");
    }

    /**
     * Overwrites a file in {@code src/test/resources}.
     *
     * @param resource its path below that folder, for example {@code plan/golden.txt}
     */
    public static void write(String resource, String text) throws IOException {
        Files.writeString(Path.of("src/test/resources", resource), text, StandardCharsets.UTF_8);
    }
}
