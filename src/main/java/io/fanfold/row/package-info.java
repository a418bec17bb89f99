/** Values as the server sends them: bytes of the text protocol beside their column definitions. Imports nothing of Fanfold. */
@NullMarked
package io.fanfold.row;

import org.jspecify.annotations.NullMarked;
