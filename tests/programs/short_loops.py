"""Short loops around nests: their iterations may run together, or must not."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 0.8, -0.4, 1.1])
K = np.array([0.7, -0.3, 0.4])
M = np.array([[0.5, 1.2, -2.0, 0.1], [0.3, 0.4, 0.1, -0.8], [-0.4, 1.9, 1.8, 0.6], [0.2, 0.6, -0.9, 1.3]])
K2 = np.array([[0.7, -0.3], [0.4, 0.9]])


@program(M, K2)
@program(M[:3, :2], K2)
@program(M[:1], K2)
@program(M[:, :1], K2)
@program(M[:1, :1], K2)
@program(np.asfortranarray(M), K2)
@program(M[::-1, ::2], K2)
@program(M.astype(np.float32), K2.astype(np.float32))
def convolution(image, kernel):
    rows = image.shape[0] - 1
    columns = image.shape[1] - 1
    response = np.zeros((rows, columns))
    for i in range(2):
        for j in range(2):
            response += kernel[i, j] * image[i : i + rows, j : j + columns]
    return np.sum(np.log(1.0 + np.exp(response)))


@program(M, K2)
def convolution_without_logarithm(image, kernel):
    rows = image.shape[0] - 1
    columns = image.shape[1] - 1
    response = np.zeros((rows, columns))
    for i in range(2):
        for j in range(2):
            response += kernel[i, j] * image[i : i + rows, j : j + columns]
    return np.sum(response)


@program(M, K)
@program(M[:2, :3], K)
@program(M[:, :2], K)
@program(M.astype(np.float32), K.astype(np.float32))
def convolution_by_elements(image, kernel):
    rows, columns = image.shape[0], image.shape[1] - 2
    response = np.zeros((image.shape[0], image.shape[1]))
    for j in range(3):
        for r in range(rows):
            for c in range(columns):
                response[r, c] += kernel[j] * image[r, c + j]
    return np.sum(response * response * response)


@program(M)
@program(M[:, :3])
def convolution_by_numbers(image):
    kernel = np.array([0.7, np.inf, 0.4])
    response = np.zeros(image.shape)
    for j in range(3):
        for r in range(image.shape[0]):
            for c in range(1, image.shape[1] - 1):
                response[r, c] = response[r, c] + kernel[j] * image[r, c + j - 1]
    return np.sum(response)


@program(X, K)
@program(X[:3], K)
@program(X[:2], K)
def one_row(x, kernel):
    n = x.shape[0] - 2
    y = np.zeros(x.shape[0])
    for j in range(3):
        for c in range(n):
            y[c] += kernel[j] * np.sin(x[c + j])
    return np.sum(y * y)


@program(X, K)
def iterations_that_read_what_the_nest_wrote(x, kernel):
    y = x.copy()
    for j in range(3):
        k = kernel[j] * y[0]
        for c in range(x.shape[0]):
            y[c] += k * x[c]
    return np.sum(y * y)


@program(X, K)
def sums_read_in_the_next_iteration(x, kernel):
    total = 0.0
    for j in range(3):
        k = kernel[j] + total
        for c in range(x.shape[0]):
            total += k * x[c]
    return total * total


@program(X, K)
def elements_read_by_other_iterations_of_the_nest(x, kernel):
    y = x.copy()
    for j in range(3):
        for c in range(1, x.shape[0]):
            y[c] += kernel[j] * np.sin(y[c - 1])
    return np.sum(y * y)


@program(X, K)
def own_elements_changed_in_order(x, kernel):
    y = x.copy()
    w = np.zeros(4)
    for j in range(3):
        k = kernel[j]
        s = 1.0
        for c in range(x.shape[0]):
            y[c] = 2.0 * k * y[c] + x[c]
            s = s + 0.1 * y[c]
        w[j] += s
        w[j + 1] -= w[j] * w[j]
    return np.sum(y) + np.sum(w * w)


@program(X, K)
def an_array_that_the_nest_and_what_follows_write(x, kernel):
    y = x.copy()
    for j in range(3):
        k = kernel[j]
        for c in range(x.shape[0]):
            y[c] = k * y[c] + x[c]
        y[j] -= k * y[j + 1]
    return np.sum(y)


@program(X, K)
def a_row_of_each_iteration(x, kernel):
    y = np.zeros((3, x.shape[0]))
    for j in range(2, -1, -1):
        for c in range(x.shape[0]):
            y[j, c] += kernel[j] * x[c] * x[c]
    return np.sum(y * y)


@program(M, K)
def sums_of_each_iteration(m, kernel):
    sums = np.zeros(3)
    for j in range(3):
        k = kernel[j]
        total = 0.0
        for r in range(m.shape[0]):
            for c in range(m.shape[1]):
                total += (k - m[r, c]) * m[r, c]
        sums[j] = total
    return np.prod(sums)


@program(M, K)
def triangle_in_each_iteration(m, kernel):
    y = np.zeros(m.shape)
    for j in range(0, 3, 2):
        for r in range(m.shape[0]):
            for c in range(r, m.shape[1]):
                y[r, c] += kernel[j] * m[c, r] * m[r, c]
    return np.sum(y * y)


@program(M, K)
def a_nest_that_grows_with_the_iteration(m, kernel):
    y = np.zeros(m.shape)
    for j in range(1, 3):
        for r in range(j, m.shape[0]):
            for c in range(m.shape[1] - j):
                y[r, c] += kernel[j] * m[r - j, c + j]
    return np.sum(y * y)


@program(M, K)
def two_nests_in_each_iteration(m, kernel):
    y = np.zeros(m.shape)
    for j in range(3):
        for r in range(m.shape[0]):
            for c in range(m.shape[1]):
                y[r, c] += kernel[j] * m[r, c]
        for r in range(m.shape[0]):
            for c in range(m.shape[1]):
                y[r, c] = np.sin(y[r, c])
    return np.sum(y * y)


@program(M, K)
def iterations_left_early(m, kernel):
    y = np.zeros(m.shape)
    for j in range(3):
        if kernel[j] < 0.0:
            continue
        for r in range(m.shape[0]):
            for c in range(m.shape[1]):
                if m[r, c] > 1.5:
                    break
                y[r, c] += kernel[j] * m[r, c]
    return np.sum(y * y)


@program(M, K)
def indices_from_the_end(m, kernel):
    y = np.zeros(m.shape)
    for j in range(-1, 2):
        for r in range(m.shape[0]):
            for c in range(m.shape[1] - 1):
                y[r, c] += kernel[j] * m[r, c + j] * m[r, j]
    return np.sum(y * y)


@program(M, K)
def scattered_by_neighbours(m, kernel):
    y = np.zeros((m.shape[0], m.shape[1] + 3))
    for j in range(3):
        k = kernel[j]
        for r in range(m.shape[0]):
            for c in range(m.shape[1]):
                y[r, c + j] += m[r, c] * k
                y[r, 0] += m[r, c]
    return np.sum(y * y)


@program(M, K, 0.5)
def numbers_handed_on(m, kernel, k):
    y = np.zeros(m.shape)
    for j in range(3):
        k = k * kernel[j]
        for r in range(m.shape[0]):
            for c in range(m.shape[1]):
                y[r, c] += k * m[r, c] + j
    return np.sum(y * y) * k
