package io.fanfold.execute;

import io.fanfold.plan.Part;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The comment with which a partition query begins, for the server's process list and slow log:
 * {@code /* fanfold session=39 user=app partition=p3 *}{@code /}, or {@code range=3} for a range of a key. The server's
 * digest of the query has no comments.
 */
final class QueryComment {
    private static final int LONGEST_NAME = 64;
    private static final int MOST_PARTITIONS = 4;

    private QueryComment() {}

    /**
     * Returns a query with its comment, in UTF-8.
     *
     * @param session the thread id of the client's connection to the server
     * @param user the user name of the client's account
     */
    static byte[] before(byte[] query, long session, String user, Part part) {
        List<String> names = part.names();
        String partitions = names.stream()
                .limit(MOST_PARTITIONS)
                .map(QueryComment::plain)
                .collect(Collectors.joining(",", "", names.size() > MOST_PARTITIONS ? ",..." : ""));
        byte[] comment = ("/* fanfold session=" + session + " user=" + plain(user)
                        + (names.isEmpty() ? "" : " partition=" + partitions)
                        + part.range().map(range -> " range=" + part.number()).orElse("")
                        + " */ ")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[comment.length + query.length];
        System.arraycopy(comment, 0, all, 0, comment.length);
        System.arraycopy(query, 0, all, comment.length, query.length);
        return all;
    }

    /** Replaces what could end the comment or look like another field. */
    private static String plain(String name) {
        return name.codePoints()
                .limit(LONGEST_NAME)
                .mapToObj(c -> c < 0x80 && Character.isLetterOrDigit(c) || "_-.$@#".indexOf(c) >= 0
                        ? Character.toString(c)
                        : "?")
                .collect(Collectors.joining());
    }
}
